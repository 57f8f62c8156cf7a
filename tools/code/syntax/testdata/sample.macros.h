#ifndef SAMPLE_H
#define SAMPLE_H

#ifdef __cplusplus
extern "C" {
#endif /* __cplusplus */

__BEGIN_DECLS

struct s { int a; };

/* Doc of f. */
extern int f (int __x) __THROW;
extern int g (int __x) __THROW __nonnull ((1));

#ifdef __USE_GNU
extern char *h (void)
     __attribute_deprecated__;
#endif

GType foo_get_type (void) G_GNUC_CONST;
extern LZMA_API(int) one(const int *a);
PyAPI_FUNC(PyObject *) PyX_Do(void);
PyAPI_DATA(int) flag;
Py_DEPRECATED(3.3) PyAPI_FUNC(int) PyX_Old(void);
extern int __REDIRECT (scan, (const char *__restrict __s, ...), __isoc99_scan);
typedef void (APIENTRYP PFNGLDRAW) (int mode);
typedef int (CALLBACK *Compare) (const void *, const void *);
typedef int Handler (int);
MODULE_SCOPE const T v;
static int x __aligned(8);
typedef struct {
	PyObject_VAR_HEAD
	PyObject **ob_item;
} PyListObject;
SKM_DEFINE_STACK_OF(A, B)
int after(void);
MYLIB_API struct U { int q; };
int plain (char __user *buf, size_t count);

static __always_inline __must_check int both(int x)
{
	return x;
}

__fortify_function __wur char *
__NTH (realpath (const char *__restrict __name))
{
	return 0;
}

int __init setup(void)
{
	return 0;
}

SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
{
	return 0;
}

JNIEXPORT jint JNICALL Java_a_B_c(JNIEnv *e, jobject o)
{
	return 0;
}

MYLIB_API void
third(void)
{
}

ASSUME_OK
char *dup(const char *s) NONNULL(1) MALLOC_LIKE;

typedef __u16 __bitwise __virtio16;
typedef __signed__ short __s16;
typedef CK_ULONG CK_PTR CK_ULONG_PTR;
typedef STACK_OF(ITEM) ITEM_LIST;
typedef Array(StackNode *) StackNodeArray;

STACK_OF(ITEM)
*read_items(FILE *fp);

__END_DECLS

#ifdef __cplusplus
}
#endif
#endif
