CREATE TABLE `table_upload` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`folder` text NOT NULL,
	`user_id` integer NOT NULL,
	`file_name` text NOT NULL,
	`options` text NOT NULL,
	`state` text NOT NULL,
	`progress` text,
	`report` text,
	`failure` text,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`stops` integer NOT NULL,
	`lease` text,
	`lease_until` real
);
--> statement-breakpoint
CREATE UNIQUE INDEX `table_upload_folder_unique` ON `table_upload` (`folder`);