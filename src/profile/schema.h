/*
 * The profile's layout: its tables, and how functions and columns are added. doc/profile.md
 * describes it for users. Errors: as in db.h.
 */
#pragma once

#include "core/samples/samples.h"
#include "db.h"
#include "profile.h"

/* A sample's id is its run's id times this, plus its number within the run. */
#define SCHEMA_IDS_PER_RUN 1000000000000

/* SQLite's limit of 2000 columns less those that are not cells. */
enum { SCHEMA_VARIABLES_MAX = PROFILE_COLUMNS_MAX };

/* Tables since version 2. */
#define SCHEMA_TABLES_OF_2                                        \
	"CREATE TABLE label ("                                    \
	" variable INTEGER,"                                      \
	" number INTEGER /* as in the variable's column */,"      \
	" name TEXT /* of an enumerator or a class */,"           \
	" PRIMARY KEY (variable, number)) WITHOUT ROWID;"         \
	"CREATE TABLE library ("                                  \
	" run INTEGER,"                                           \
	" path TEXT /* of functions in it samples were taken */," \
	" build_id TEXT,"                                         \
	" PRIMARY KEY (run, path)) WITHOUT ROWID"

/* Tables since version 4. */
#define SCHEMA_TABLES_OF_4                                                                  \
	"CREATE TABLE calibration ("                                                        \
	" run INTEGER,"                                                                     \
	" metric TEXT,"                                                                     \
	" pair REAL /* in the metric's unit: subtracted for a call's beginning and end */," \
	" stop REAL /* and for each further stop within it */,"                             \
	" far REAL /* and for a stop that wakes another, sleeping processor */,"            \
	" resolution REAL /* less cannot be told from nothing; 0: exact */,"                \
	" PRIMARY KEY (run, metric)) WITHOUT ROWID;"                                        \
	"CREATE VIEW branch AS SELECT id, function, name FROM variable WHERE role = 'branch'"

/* Tables since version 5. */
#define SCHEMA_TABLES_OF_5                                                 \
	"CREATE TABLE pad_calibration ("                                   \
	" run INTEGER PRIMARY KEY,"                                        \
	" pair REAL /* in microseconds: subtracted from a call's time */," \
	" call REAL /* and from its caller's, besides `pair` */,"          \
	" record REAL /* and more for a call that became a record */,"     \
	" drawn REAL /* and more where only some did, by chance */,"       \
	" word REAL /* and for each word of a record */,"                  \
	" resolution REAL /* of calls without stops */,"                   \
	" heap REAL /* subtracted for each allocation in a call */,"       \
	" heap_inner REAL /* and for each one within another */,"          \
	" ended REAL /* subtracted from a call's time if a stop ended it */)"

/* Tables since version 6. */
#define SCHEMA_TABLES_OF_6                                           \
	"CREATE TABLE model ("                                       \
	" function INTEGER,"                                         \
	" metric TEXT,"                                              \
	" options TEXT /* it was made with */,"                      \
	" samples TEXT /* a hash of those that it was made from */," \
	" maker TEXT /* the build id of the fathom that made it */," \
	" annotation BLOB /* for that fathom alone */,"              \
	" PRIMARY KEY (function, metric, options)) WITHOUT ROWID"

/* Tables since version 7. */
#define SCHEMA_TABLES_OF_7                                                         \
	"CREATE TABLE layout ("                                                    \
	" run INTEGER,"                                                            \
	" part TEXT /* layout.stack, layout.heap: where in their page they begin;" \
	" layout.environment: bytes added to it; layout.pages: 1, random */,"      \
	" bytes INTEGER,"                                                          \
	" PRIMARY KEY (run, part)) WITHOUT ROWID"

/* Turn an empty database into an empty profile, within the caller's transaction. */
bool schema_create(struct profile *profile, struct err *err);

/* Is the database a profile of a version that can be read? Also ERR_UNSUPPORTED. */
bool schema_check(struct profile *profile, struct err *err);

/* Migrate a checked profile of an older version, within the caller's transaction. */
bool schema_migrate(struct profile *profile, struct err *err);

/* Is the function's table of samples an ordinary table, without computed columns? */
bool schema_check_samples(struct profile *profile, int64_t function, struct err *err);

/*
 * Add the function of @like with its columns, a table for its samples, and a view. *@ret is its id,
 * @ret_variables [n_columns] are the ids of its columns.
 */
bool schema_add_function(struct profile *profile, const struct samples *like, int64_t *ret,
			 int64_t *ret_variables, struct err *err);

/* Add a column to a function; the caller renews its view. */
bool schema_add_variable(struct profile *profile, int64_t function, const struct column *like,
			 int64_t *ret, struct err *err);

/* As in the table `variable`. False: no role has the name @name. */
const char *schema_role_name(enum column_role role);
bool schema_role_parse(const char *name, enum column_role *ret);

/* Recreate the function's view, after columns were added. Also ERR_UNSUPPORTED: long names. */
bool schema_renew_view(struct profile *profile, int64_t function, struct err *err);
