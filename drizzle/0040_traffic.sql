CREATE TABLE `traffic` (
	`hour` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`requests` integer NOT NULL,
	`refused` integer NOT NULL,
	`milliseconds` integer NOT NULL,
	PRIMARY KEY(`hour`, `kind`, `name`)
);
