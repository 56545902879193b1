# Least squares by R of a design, read from a file of doubles. Usage: Rscript fitting.R FILE ROWS COLUMNS TURNS
# Prints the seconds of the clock of one fit, the mean of TURNS, and on the next line the coefficients.
arguments <- commandArgs(trailingOnly = TRUE)
rows <- as.integer(arguments[2])
columns <- as.integer(arguments[3])
turns <- as.integer(arguments[4])
numbers <- readBin(arguments[1], "double", rows * (columns + 1))
design <- matrix(numbers[seq_len(rows * columns)], rows, columns)
response <- numbers[rows * columns + seq_len(rows)]
begin <- Sys.time()
for (turn in seq_len(turns))
	fit <- lm.fit(design, response)
cat(sprintf("%.9f\n", as.numeric(Sys.time() - begin, units = "secs") / turns))
cat(sprintf("%.17g", fit$coefficients))
cat("\n")
