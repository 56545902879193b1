/*
 * Putting an image's classes, vtables and casts into the catalogue, beside those of other modules.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "dwarf/file/elf_file.h"

struct class_publisher;

/* Adds the classes that have a vtable in @image, and their vtables. */
struct class_publisher *class_publisher_create(const struct elf_file *image, unsigned module,
					       struct catalogue *catalogue);

/* Begin the next cast, to the class called @target. */
void class_publisher_cast(struct class_publisher *publisher, const char *target);

/*
 * In objects of the class that DWARF calls @name and describes in @die, the target of the last cast
 * is at @offset. Without effect if no vtable is surely of it.
 */
void class_publisher_entry(struct class_publisher *publisher, const char *name, Dwarf_Die *die,
			   int64_t offset);

/* The casts are added, and @publisher is gone. */
void class_publisher_finish(struct class_publisher *publisher);
