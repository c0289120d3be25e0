CREATE TABLE `removed_target` (
	`type` text NOT NULL,
	`id` integer NOT NULL,
	PRIMARY KEY(`type`, `id`)
);
--> statement-breakpoint
CREATE TABLE `search_pending_term` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`field` text DEFAULT '' NOT NULL,
	`weight` integer,
	`nid` integer DEFAULT 0 NOT NULL
);
