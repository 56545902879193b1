/* Joins the session's accounts with the recorder's. */
#include "accounts.h"

bool accounts_store(struct measurement *m, const struct program *program, size_t index,
		    struct err *err)
{
	const struct function *function = &program->catalogue->functions[index];
	struct function_account account =
		*session_function_account(m->session, program->image, index);

	account.kept = recorder_kept(m->recorder, program->image, index);
	return profile_add_account(m->profile, function, program->modules[function->module],
				   &account, err);
}

bool accounts_store_all(struct measurement *m, struct err *err)
{
	struct program *const *programs;
	const size_t n = programs_measured(m->programs, &programs);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < programs[i]->catalogue->n_functions; j++)
			if (!accounts_store(m, programs[i], j, err))
				return false;
	return true;
}
