namespace std _GLIBCXX_VISIBILITY(default)
{
_GLIBCXX_BEGIN_NAMESPACE_VERSION

  template<typename T, typename = void>
    struct Vec
    {
      static _GLIBCXX20_CONSTEXPR void
      shrink(Vec&, size_type) { }

      explicit _GLIBCXX20_CONSTEXPR
      Vec(int n) : size(n) { }

      _GLIBCXX20_CONSTEXPR
      Vec(char n) : size(n) { }

      _GLIBCXX20_CONSTEXPR
      ~Vec() _GLIBCXX_NOEXCEPT { }

      _GLIBCXX_NODISCARD
      friend bool
      operator==(const Vec& a, int) { return true; }

      _GLIBCXX_NODISCARD iterator begin() const _GLIBCXX_NOEXCEPT { return 1; }
      void f(const void* = nullptr);
      int size;
    };

  PB_DS_CLASS_T_DEC
  inline bool
  PB_DS_CLASS_C_DEC::
  empty() const
  { return true; }

_GLIBCXX_END_NAMESPACE_VERSION
}

class MYLIB_EXPORT Foo : public Bar {
  Q_OBJECT
public:
  int m() const Q_DECL_OVERRIDE;
  std::string TLD() const;
  bool OK() const { return true; }
  bool __is_p() const noexcept;
signals:
  void sig();
private slots:
  void on();
};

std::string Foo::TLD() const { return ""; }

struct S { void self(this S&); };
typedef S& reference;
export module m;
export int handed();
