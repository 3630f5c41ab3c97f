/* flush.c - a program that leaves by _exit() writes its counts first (--wrap=_exit). */
_Noreturn void __wrap__exit(int code);
_Noreturn void __real__exit(int code);
void __gcov_dump(void);

void __wrap__exit(int code)
{
	__gcov_dump();
	__real__exit(code);
}
