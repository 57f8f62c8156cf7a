#include <string>
namespace geo {
template <typename T>
class Square : public Shape, private detail::Base<T> {
public:
    explicit Square(T side) : side_(side) {}
    virtual ~Square();
    T area() const override { return side_ * side_; }
    bool operator==(const Square& o) const;
    std::string& name();
    static int count;
    enum class Color { Red, Green };
private:
    T side_;
};
template <typename T> T twice(T x) { return x + x; }
using Id = int;
struct Point { int x; int y; Point(int x, int y); };
}
geo::Square<int>::~Square() {}
std::string& geo::Point::label(int n) { return x; }
int Point::norm() const { Foo f(bar); return 1; }
#ifdef X
void guarded();
#endif
struct Convertible {
  operator bool() const;
  explicit operator const char*() const;
};
Convertible::operator bool() const { return true; }

template <class T> T twice(T);
template <> int twice<int>(int x) { return 2 * x; }
int (&rows())[3];
int (&row)[3] = *rows();
struct Pointed {
  int Pointed::*member;
  void (Pointed::*method)();
  int &counted;
  int (*chooser(int))(void);
};
int Pointed::*member = &Pointed::member;
void (Pointed::*method)() = nullptr;
int (*Pointed::chooser(int x))(void) { return nullptr; }
void call(Pointed *p) { (p->*method)(); }
int (*columns())[3];
Pointed (*pointers[2])() = {};
