/* empty.c - what every image has: its size is a row of `make bench`. */
int main(void)
{
	return 0;
}
