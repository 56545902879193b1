/* Profiles that are damaged, hostile, or no profiles at all. */
#include "profile_fixture.h"

#include "profile/profile_history.h"

static void a_write_protected_profile_can_be_read(void **state)
{
	struct profile *profile;
	struct samples *samples;
	struct err err;

	(void)state;
	write_profile();
	assert_int_equal(chmod("p.fathom", 0444), 0);
	assert_int_equal(chmod(".", 0555), 0);
	assert_true(profile_open("p.fathom", &profile, &err));
	samples = load(profile, "_f", 100);
	assert_int_equal(samples->n_rows, 10);
	samples_destroy(samples);
	profile_close(profile);
	chmod(".", 0755);
}

static void files_that_are_no_profile_are_refused_with_a_reason(void **state)
{
	static const char text[] = "This is a text of some length. It is not a database at all, "
				   "and nobody would think so who has read its first line.";
	struct err err;
	struct profile *profile;

	(void)state;
	assert_refused(ERR_IO, "No such file");
	write_file("", 0);
	assert_refused(ERR_FORMAT, "empty");
	write_file(text, sizeof(text));
	assert_refused(ERR_FORMAT, "not a fathom profile");
	assert_false(profile_open_to_add("p.fathom", "abc", &profile, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_false(profile_open(".", &profile, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_false(profile_open(":memory:", &profile, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_int_equal(unlink("p.fathom"), 0);
	assert_int_equal(mkfifo("p.fathom", 0600), 0);
	assert_refused(ERR_IO, "not a file");
}

static void another_applications_database_is_refused_and_left_alone(void **state)
{
	struct profile *profile;
	struct err err;

	(void)state;
	alter("CREATE TABLE theirs (x)");
	assert_refused(ERR_FORMAT, "another application");
	assert_false(profile_open_to_add("p.fathom", "abc", &profile, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_int_equal(query("SELECT count(*) FROM sqlite_schema"), 1);
}

static void a_newer_profile_is_refused(void **state)
{
	struct profile *profile;
	struct err err;

	(void)state;
	write_profile();
	alter("PRAGMA user_version = 9");
	assert_refused(ERR_UNSUPPORTED, "newer");
	assert_false(profile_open_to_add("p.fathom", "abc", &profile, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
}

static void an_empty_file_becomes_a_profile(void **state)
{
	(void)state;
	write_file("", 0);
	write_profile();
	assert_int_equal(rows_in_file("_f"), 10);
}

/* Open the file and load everything in it; true if all of that worked. */
static bool read_everything(struct err *err)
{
	const char *const *functions;
	struct profile *profile;
	struct arena *arena;
	struct past_run *runs;
	struct samples *samples;
	bool ok;
	size_t n;
	size_t i;

	if (!profile_open("p.fathom", &profile, err))
		return false;
	arena = arena_create();
	ok = profile_history(profile, 10, arena, &runs, &n, err);
	arena_destroy(arena);
	n = profile_functions(profile, &functions);
	for (i = 0; i < n; i++) {
		if (!profile_load(profile, functions[i], 100000, &samples, err)) {
			ok = false;
			continue;
		}
		samples_destroy(samples);
	}
	profile_close(profile);
	return ok;
}

static void hostile_contents_are_an_error(void **state)
{
	static const char *const attacks[] = {
		"UPDATE sample_1 SET v1 = 'text' WHERE id % 2",
		"UPDATE sample_1 SET v1 = zeroblob(1000)",
		"UPDATE sample_1 SET run = -1",
		"UPDATE sample_1 SET thread = 1.5",
		"UPDATE sample_1 SET id = -id",
		"DROP TABLE sample_1",
		"DROP TABLE variable",
		"DROP TABLE run",
		"UPDATE run SET command = zeroblob(1000)",
		"UPDATE run SET host = CAST(x'410042' AS TEXT)",
		"UPDATE run SET stops = -1",
		"UPDATE run SET duration_ns = 'long'",
		"ALTER TABLE run DROP COLUMN cpu",
		"UPDATE variable SET name = NULL",
		"UPDATE variable SET name = 'same', role = 'feature', type = 'int'",
		"UPDATE variable SET type = 'no such type'",
		"UPDATE variable SET role = zeroblob(10)",
		"UPDATE variable SET name = 'no such metric' WHERE id = 1",
		"UPDATE variable SET depth = 9e99",
		"UPDATE variable SET id = id + 1000000",
		"UPDATE absence SET reason = 'present'",
		"UPDATE absence SET reason = zeroblob(100000)",
		"UPDATE function SET name = NULL",
		"UPDATE function SET linkage = CAST(x'410042' AS TEXT)",
		"UPDATE function SET line = 99999999999",
		"UPDATE function SET module = CAST(x'410042' AS TEXT)",
		"ALTER TABLE function DROP COLUMN module",
		"UPDATE sample_1 SET process = 'many'",
		"DROP VIEW \"ns::f(int)\"; ALTER TABLE sample_1 DROP COLUMN process",
		"INSERT INTO function SELECT id + 1, name, linkage, file, line, module, view FROM "
		"function;"
		"INSERT INTO function SELECT id + 2, name, linkage, file, line, module, view FROM "
		"function",
		"ALTER TABLE sample_1 RENAME TO x; CREATE VIEW sample_1 AS SELECT * FROM x",
		"ALTER TABLE sample_1 RENAME TO x; CREATE VIEW sample_1 AS WITH RECURSIVE "
		"n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT * FROM n",
		"DROP TABLE sample_1; CREATE TABLE sample_1 (id INTEGER PRIMARY KEY, parent, run, "
		"process,"
		" thread, start_ns, stops, stopped_ns, v1 AS (hex(zeroblob(100000000))), v2, v3);"
		"INSERT INTO sample_1 (id, run, thread, start_ns) VALUES (1, 1, 1, 1)",
		"DROP TABLE account; CREATE VIEW account AS SELECT * FROM account",
		"INSERT INTO account (function, run, calls) VALUES (1, 1, 'many')",
		"PRAGMA user_version = 0",
		"UPDATE sample_1 SET stops = 'many'",
		"UPDATE sample_1 SET stopped_ns = -1",
		"DROP VIEW \"ns::f(int)\"; ALTER TABLE sample_1 DROP COLUMN stops",
		"DROP TABLE calibration",
		"DROP TABLE pad_calibration",
		"DROP TABLE calibration; CREATE VIEW calibration AS SELECT * FROM calibration",
		"INSERT INTO calibration VALUES (1, 'no such metric', 0, 0, 0, 0)",
		"INSERT INTO calibration VALUES (1, 'self.time', 0, 0, 0, 0)",
		"INSERT INTO calibration VALUES (1, 'time', 0, 0, 0, 9e999)",
		"INSERT INTO calibration VALUES (1, 'time', 0, 0, 0, -1)",
		"INSERT INTO calibration VALUES (1, 'time', 0, 0, 0, 'small')",
		"DROP TABLE label",
		"DROP TABLE label; CREATE VIEW label AS SELECT * FROM label",
		"DROP TABLE label; CREATE TABLE label (variable, number, name);"
		"UPDATE variable SET type = 'enum' WHERE id = 2;"
		"INSERT INTO label VALUES (2, 1, 'a'), (2, 1, 'b')",
		"UPDATE variable SET type = 'enum' WHERE id = 2;"
		"INSERT INTO label VALUES (2, 'x', 'a'), (2, 'y', 'b')",
	};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(attacks) / sizeof(*attacks); i++) {
		unlink("p.fathom");
		write_profile();
		alter(attacks[i]);
		err.code = ERR_NONE;
		if (read_everything(&err))
			fail_msg("not noticed: %s", attacks[i]);
		if (err.code != ERR_FORMAT)
			fail_msg("%s: %s", attacks[i], err.text);
	}
}

static void triggers_in_a_profile_do_not_run(void **state)
{
	struct profile *profile;

	(void)state;
	write_profile();
	alter("CREATE TRIGGER t AFTER INSERT ON sample_1 BEGIN DELETE FROM function; END");
	profile = open_to_add();
	begin(profile);
	add(profile, "_f", 3, 1, 3);
	profile_close(profile);
	assert_int_equal(rows_in_file("_f"), 13);
}

/* The bytes of a profile, to be damaged. The caller frees them. */
static unsigned char *take_profile(size_t *ret_size)
{
	struct stat status;
	unsigned char *bytes;
	FILE *file;

	write_profile();
	file = fopen("p.fathom", "r");
	assert_int_equal(fstat(fileno(file), &status), 0);
	bytes = malloc(status.st_size);
	assert_int_equal(fread(bytes, 1, status.st_size, file), status.st_size);
	fclose(file);
	*ret_size = status.st_size;
	return bytes;
}

/*
 * Make all children of the root page of sample_1 the first one. Source: the SQLite file format,
 * 1.6.
 */
static void repeat_first_page(void)
{
	unsigned char page[4096];
	off_t offset =
		(query("SELECT rootpage FROM sqlite_schema WHERE name = 'sample_1'") - 1) * 4096;
	FILE *file = fopen("p.fathom", "r+");
	unsigned n_cells;
	unsigned i;

	assert_int_equal(fseeko(file, offset, SEEK_SET), 0);
	assert_int_equal(fread(page, 1, sizeof(page), file), sizeof(page));
	assert_int_equal(page[0], 5);
	n_cells = page[3] << 8 | page[4];
	assert_in_range(n_cells, 2, 1000);
	for (i = 1; i < n_cells; i++)
		memcpy(page + (page[12 + 2 * i] << 8 | page[13 + 2 * i]),
		       page + (page[12] << 8 | page[13]), 4);
	assert_int_equal(fseeko(file, offset, SEEK_SET), 0);
	assert_int_equal(fwrite(page, 1, sizeof(page), file), sizeof(page));
	fclose(file);
}

static void a_table_that_leads_to_the_same_rows_again_is_an_error(void **state)
{
	struct profile *profile = open_to_add();
	struct err err;

	(void)state;
	begin(profile);
	add(profile, "_f", 3, 1, 1000);
	profile_close(profile);
	assert_true(read_everything(&err));
	repeat_first_page();
	assert_false(read_everything(&err));
	assert_int_equal(err.code, ERR_FORMAT);
}

static void a_truncated_profile_is_an_error(void **state)
{
	unsigned char *bytes;
	struct err err;
	size_t size;
	size_t n;

	(void)state;
	bytes = take_profile(&size);
	for (n = 1; n < size; n += 509) {
		write_file(bytes, n);
		if (read_everything(&err))
			fail_msg("%zu of %zu bytes were read as a profile", n, size);
	}
	free(bytes);
}

static void damaged_bytes_never_crash_the_reader(void **state)
{
	unsigned long random = 1;
	unsigned char *bytes;
	unsigned char *copy;
	struct err err;
	size_t size;
	int round;
	int i;

	(void)state;
	bytes = take_profile(&size);
	copy = malloc(size);
	for (round = 0; round < 2000; round++) {
		memcpy(copy, bytes, size);
		for (i = 0; i < 1 + round % 8; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			copy[(random >> 33) % size] = random >> 25;
		}
		write_file(copy, size);
		read_everything(&err);
	}
	free(copy);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_write_protected_profile_can_be_read),
		IN_FOLDER(files_that_are_no_profile_are_refused_with_a_reason),
		IN_FOLDER(another_applications_database_is_refused_and_left_alone),
		IN_FOLDER(a_newer_profile_is_refused),
		IN_FOLDER(an_empty_file_becomes_a_profile),
		IN_FOLDER(hostile_contents_are_an_error),
		IN_FOLDER(triggers_in_a_profile_do_not_run),
		IN_FOLDER(a_table_that_leads_to_the_same_rows_again_is_an_error),
		IN_FOLDER(a_truncated_profile_is_an_error),
		IN_FOLDER(damaged_bytes_never_crash_the_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
