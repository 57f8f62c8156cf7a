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
