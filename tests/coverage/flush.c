/* flush.c - a program that leaves by _exit() writes its counts first (--wrap=_exit). */
_Noreturn void __wrap__exit(int code);
_Noreturn void __real__exit(int code);
int __llvm_profile_write_file(void);

void __wrap__exit(int code)
{
	(void)__llvm_profile_write_file();
	__real__exit(code);
}
