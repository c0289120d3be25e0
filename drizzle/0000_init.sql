CREATE TABLE `media` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`revision_id` integer,
	`bundle` text NOT NULL,
	`label` text NOT NULL,
	`owner_id` integer NOT NULL,
	`status` integer NOT NULL,
	`changed` integer NOT NULL,
	`version` integer NOT NULL,
	`layout` integer NOT NULL,
	`is_dangling` integer NOT NULL,
	`alias_id` integer,
	`alias` text,
	`revision_log` text,
	`document` text NOT NULL,
	`folded_label` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `media_uuid_unique` ON `media` (`uuid`);--> statement-breakpoint
CREATE TABLE `media_revision` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`entity_id` integer NOT NULL,
	`created` integer NOT NULL,
	`user_id` integer,
	`log` text,
	`snapshot` text
);
--> statement-breakpoint
CREATE INDEX `media_revision_entity` ON `media_revision` (`entity_id`);--> statement-breakpoint
CREATE TABLE `node_revision` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`entity_id` integer NOT NULL,
	`created` integer NOT NULL,
	`user_id` integer,
	`log` text,
	`snapshot` text
);
--> statement-breakpoint
CREATE INDEX `node_revision_entity` ON `node_revision` (`entity_id`);--> statement-breakpoint
CREATE TABLE `node` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`revision_id` integer,
	`bundle` text NOT NULL,
	`label` text NOT NULL,
	`owner_id` integer NOT NULL,
	`status` integer NOT NULL,
	`changed` integer NOT NULL,
	`version` integer NOT NULL,
	`layout` integer NOT NULL,
	`is_dangling` integer NOT NULL,
	`alias_id` integer,
	`alias` text,
	`revision_log` text,
	`document` text NOT NULL,
	`folded_label` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `node_uuid_unique` ON `node` (`uuid`);--> statement-breakpoint
CREATE TABLE `taxonomy_term_revision` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`entity_id` integer NOT NULL,
	`created` integer NOT NULL,
	`user_id` integer,
	`log` text,
	`snapshot` text
);
--> statement-breakpoint
CREATE INDEX `taxonomy_term_revision_entity` ON `taxonomy_term_revision` (`entity_id`);--> statement-breakpoint
CREATE TABLE `taxonomy_term` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`revision_id` integer,
	`bundle` text NOT NULL,
	`label` text NOT NULL,
	`owner_id` integer NOT NULL,
	`status` integer NOT NULL,
	`changed` integer NOT NULL,
	`version` integer NOT NULL,
	`layout` integer NOT NULL,
	`is_dangling` integer NOT NULL,
	`alias_id` integer,
	`alias` text,
	`revision_log` text,
	`document` text NOT NULL,
	`folded_label` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `taxonomy_term_uuid_unique` ON `taxonomy_term` (`uuid`);--> statement-breakpoint
CREATE INDEX `taxonomy_term_name` ON `taxonomy_term` (`bundle`,`folded_label`);--> statement-breakpoint
CREATE TABLE `file` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`owner_id` integer NOT NULL,
	`langcode` text NOT NULL,
	`filename` text NOT NULL,
	`uri` text NOT NULL,
	`filemime` text NOT NULL,
	`filesize` integer NOT NULL,
	`status` integer NOT NULL,
	`created` integer NOT NULL,
	`changed` integer NOT NULL,
	`version` integer NOT NULL,
	`storage_key` text NOT NULL,
	`sha256` text NOT NULL,
	`width` integer,
	`height` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `file_uuid_unique` ON `file` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `file_uri_unique` ON `file` (`uri`);--> statement-breakpoint
CREATE INDEX `file_storage_key` ON `file` (`storage_key`);--> statement-breakpoint
CREATE TABLE `reference` (
	`source_type` text NOT NULL,
	`source_id` integer NOT NULL,
	`field` text NOT NULL,
	`delta` integer NOT NULL,
	`target_type` text NOT NULL,
	`target_id` integer NOT NULL,
	`weight` integer,
	PRIMARY KEY(`source_type`, `source_id`, `field`, `delta`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `reference_target` ON `reference` (`target_type`,`target_id`,`source_type`,`field`,`weight`,`source_id`);--> statement-breakpoint
CREATE TABLE `term_uri` (
	`term_id` integer NOT NULL,
	`field` text NOT NULL,
	`delta` integer NOT NULL,
	`uri` text NOT NULL,
	PRIMARY KEY(`term_id`, `field`, `delta`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `term_uri_uri` ON `term_uri` (`uri`,`field`);--> statement-breakpoint
CREATE TABLE `discarded_object` (
	`storage_key` text PRIMARY KEY NOT NULL,
	`scheme` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `guard` (
	`stale` integer,
	`missing` integer,
	`taken` integer,
	CONSTRAINT "guard_stale" CHECK("guard"."stale" IS NULL),
	CONSTRAINT "guard_missing" CHECK("guard"."missing" IS NULL),
	CONSTRAINT "guard_taken" CHECK("guard"."taken" IS NULL)
);
--> statement-breakpoint
CREATE TABLE `path_alias` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`path` text NOT NULL,
	`alias` text NOT NULL,
	`langcode` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `path_alias_uuid_unique` ON `path_alias` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `path_alias_alias_unique` ON `path_alias` (`alias`);--> statement-breakpoint
CREATE INDEX `path_alias_path` ON `path_alias` (`path`);--> statement-breakpoint
CREATE TABLE `setting` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `flood_event` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event` text NOT NULL,
	`identifier` text NOT NULL,
	`at` integer NOT NULL,
	`expires` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `flood_event_identifier` ON `flood_event` (`event`,`identifier`,`at`);--> statement-breakpoint
CREATE INDEX `flood_event_expires` ON `flood_event` (`expires`);--> statement-breakpoint
CREATE TABLE `session` (
	`id_hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`created` integer NOT NULL,
	`expires` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `session_user` ON `session` (`user_id`);--> statement-breakpoint
CREATE INDEX `session_expires` ON `session` (`expires`);--> statement-breakpoint
CREATE TABLE `user` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`name` text NOT NULL,
	`mail` text,
	`password_hash` text,
	`status` integer NOT NULL,
	`roles` text NOT NULL,
	`langcode` text NOT NULL,
	`preferred_langcode` text NOT NULL,
	`preferred_admin_langcode` text,
	`timezone` text NOT NULL,
	`created` integer NOT NULL,
	`changed` integer NOT NULL,
	`access` integer NOT NULL,
	`login` integer NOT NULL,
	`init` text,
	`layout` integer NOT NULL,
	`is_dangling` integer NOT NULL,
	`fields` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_uuid_unique` ON `user` (`uuid`);--> statement-breakpoint
CREATE UNIQUE INDEX `user_name` ON `user` ("name" COLLATE NOCASE);