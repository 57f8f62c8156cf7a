#include <stdio.h>
#define MAX 10
#define SQUARE(x) ((x) * (x))
typedef struct point { int x, *y; char name[10]; } point_t;
struct node { struct node *next; };
enum color { RED, GREEN = 2 };
typedef int (*callback)(int);
union value { int i; };
static int counter = 0;
extern int shared;
int add(int a, int b);
static char *
name(struct node *n)
{
    int local = 1;
    return 0;
}
int main(int argc, char **argv) {
    return add(1, 2);
}

int (*chooser(int x))(void) { return 0; }
void (*on_signal(int sig, void (*handler)(int)))(int);
int (*rows(void))[3] { return 0; }
static int (*table[])(void) = {0};
int (*pointed)[3];
int (bracketed)(int x) { return x; }
typedef int (*row_t)[3];
struct nested { int (*fs[3])(void); int (*row)[3]; int (*(*cb)(int))(int); };
enum mode { ON, OFF } current;
enum { FIRST, SECOND } unnamed;
