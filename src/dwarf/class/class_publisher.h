/*
 * Adds an image's classes, vtables and casts to a catalogue, beside those of other modules.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "dwarf/file/elf_file.h"
#include "tags.h"

struct class_publisher;

/*
 * Create, and note the classes with a vtable in @image, and their vtables; so each of @tags is one.
 * class_publisher_finish() frees it.
 */
struct class_publisher *class_publisher_create(const struct elf_file *image,
					       const struct tags *tags, unsigned module,
					       struct catalogue *catalogue);

/* Start the next cast, to the class @target. */
void class_publisher_cast(struct class_publisher *publisher, const char *target);

/*
 * In objects of the class that DWARF calls @name and describes in @die, the current cast's target
 * is at @offset. Ignored unless a vtable surely belongs to that class.
 */
void class_publisher_entry(struct class_publisher *publisher, const char *name, Dwarf_Die *die,
			   int64_t offset);

/* The same of objects with the tag @name. */
void class_publisher_tag(struct class_publisher *publisher, const char *name, int64_t offset);

/* Add the casts to the catalogue, and free @publisher. */
void class_publisher_finish(struct class_publisher *publisher);
