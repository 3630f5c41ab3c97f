// ranks.cpp - a program of many processes in C++: objects and containers are a rank's, MPI's calls and types are there.
#include <cstdio>
#include <mpi.h>
#include <string>
#include <vector>

namespace
{
struct counted {
	int of = 6;

	~counted()
	{
		made--;
	}
	static int made;
};

int counted::made = 1;
counted here;

std::vector<int> &seen()
{
	static std::vector<int> list;

	return list;
}
} // namespace

int main(int argc, char **argv)
{
	int rank = 0, ranks = 0, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	here.of += rank;
	seen().resize(static_cast<size_t>(ranks));
	MPI_Allgather(&here.of, 1, MPI_INT, seen().data(), 1, MPI_INT, MPI_COMM_WORLD);
	MPI_Allreduce(&counted::made, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0) {
		std::string text = "ranks";

		for (int each : seen())
			text += " " + std::to_string(each);
		std::printf("%s, %d objects\n", text.c_str(), sum);
	}
	MPI_Finalize();
	return rank == ranks - 1 ? 42 : 0;
}
