CREATE TABLE `run` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`user_id` integer,
	`about` text NOT NULL,
	`progress` text,
	`worked` real DEFAULT 0 NOT NULL,
	`created_at` real NOT NULL,
	`ended_at` real,
	`lease` text,
	`lease_until` real,
	`result` text
);
--> statement-breakpoint
CREATE INDEX `run_kind` ON `run` (`kind`,`id`);--> statement-breakpoint
CREATE INDEX `run_open` ON `run` (`kind`,`worked`,`id`) WHERE "run"."ended_at" IS NULL;--> statement-breakpoint
CREATE INDEX `run_undoes` ON `run` ("about" ->> '$.parameters.undoes') WHERE "run"."about" ->> '$.parameters.undoes' IS NOT NULL;--> statement-breakpoint
INSERT INTO `run` (`id`, `kind`, `state`, `user_id`, `about`, `worked`, `created_at`, `ended_at`, `lease`, `lease_until`, `result`)
	SELECT `id`, 'bulk', `state`, `user_id`,
		json_object('type', `entity_type`, 'action', `action`, 'parameters', json(`parameters`)),
		`worked`, `created_at`, `ended_at`, `lease`, `lease_until`, CASE WHEN `message` IS NOT NULL THEN json_quote(`message`) END
	FROM `bulk_run`;
--> statement-breakpoint
INSERT INTO `run` (`id`, `kind`, `state`, `about`, `progress`, `created_at`, `ended_at`, `lease`, `lease_until`)
	SELECT `id` + (SELECT coalesce(max(b.top, i.top), 0) FROM (SELECT max(`id`) AS top FROM `bulk_run`) b, (SELECT max(`id`) AS top FROM `import_run`) i),
		'import', CASE WHEN `ended_at` IS NULL THEN 'running' ELSE 'done' END,
		json_object('sha256', `sha256`, 'path', `path`, 'rows', `rows`, 'firstNodeId', `first_node_id`,
			'isUploaded', json(iif(`path` LIKE '%/imports/________________________________/table.csv', 'true', 'false'))),
		CASE WHEN `ended_at` IS NULL THEN (SELECT count(*) FROM `import_item` WHERE `run_id` = `import_run`.`id` AND `part` = '') ELSE `rows` END,
		`started_at`, `ended_at`, `lease`, `lease_until`
	FROM `import_run`;
--> statement-breakpoint
UPDATE `import_item` SET `run_id` = `run_id`
		+ (SELECT coalesce(max(b.top, i.top), 0) FROM (SELECT max(`id`) AS top FROM `bulk_run`) b, (SELECT max(`id`) AS top FROM `import_run`) i)
	WHERE EXISTS (SELECT 1 FROM `bulk_run`);
--> statement-breakpoint
UPDATE `fixity_check` SET `run_id` = `run_id` + (SELECT max(`id`) FROM `run`) WHERE EXISTS (SELECT 1 FROM `run`);
--> statement-breakpoint
INSERT INTO `run` (`id`, `kind`, `state`, `about`, `progress`, `created_at`, `ended_at`, `lease`, `lease_until`)
	SELECT `id` + (SELECT coalesce(max(`id`), 0) FROM `run` WHERE `kind` IN ('bulk', 'import')),
		'fixity', CASE WHEN `ended_at` IS NULL THEN 'running' ELSE 'done' END, `scope`,
		json_object('position', `position`, 'lastId', `last_id`, 'total', `total`, 'checked', `checked`, 'bytes', `checked_bytes`,
			'damaged', `damaged`, 'missing', `missing`, 'unreadable', `unreadable`),
		`started_at`, `ended_at`, `lease`, `lease_until`
	FROM `fixity_run`;
--> statement-breakpoint
INSERT INTO `run` (`kind`, `state`, `user_id`, `about`, `progress`, `created_at`, `ended_at`, `lease`, `lease_until`, `result`)
	SELECT 'table',
		CASE WHEN `state` IN ('checking', 'importing') THEN iif(`stops`, 'stopping', 'running') WHEN `state` = 'checked' THEN 'done' ELSE `state` END,
		`user_id`,
		json_object('folder', `folder`, 'host', `host`, 'fileName', `file_name`, 'options', json(`options`),
			'work', iif(`state` IN ('importing', 'done'), 'importing', 'checking')),
		`progress`, `created_at`, CASE WHEN `state` NOT IN ('checking', 'importing') THEN `changed_at` END, `lease`, `lease_until`,
		json_object('report', json(`report`), 'failure', json(`failure`))
	FROM `table_upload` ORDER BY `id`;
--> statement-breakpoint
INSERT INTO `run` (`kind`, `state`, `about`, `progress`, `created_at`)
	SELECT 'scan', 'running',
		CASE WHEN length(`scope`) > 6
			THEN json_object('scope', `scope`, 'action', substr(`scope`, 7), 'isDryRun', json(iif(`scope` LIKE 'count%', 'true', 'false')))
			ELSE json_object('scope', `scope`, 'isDryRun', json(iif(`scope` LIKE 'count%', 'true', 'false'))) END,
		json_object('position', `position`, 'lastId', `last_id`, 'scanned', `scanned`, 'queued', `queued`, 'open', `open`, 'failed', `failed`),
		unixepoch('subsec')
	FROM `derivative_scan`;
--> statement-breakpoint
INSERT INTO `run` (`kind`, `state`, `about`, `progress`, `created_at`, `ended_at`, `lease`, `lease_until`)
	SELECT 'index', iif(`building` IS NULL, 'done', 'running'), json_object('version', coalesce(`building`, `version`)),
		json_object('position', `position`, 'lastId', `last_id`, 'done', `done`, 'total', `total`),
		unixepoch('subsec'), iif(`building` IS NULL, unixepoch('subsec'), NULL), `lease`, `lease_until`
	FROM `search_index`;
--> statement-breakpoint
DROP TABLE `bulk_run`;--> statement-breakpoint
DROP TABLE `derivative_scan`;--> statement-breakpoint
DROP TABLE `fixity_run`;--> statement-breakpoint
DROP TABLE `import_run`;--> statement-breakpoint
DROP TABLE `table_upload`;--> statement-breakpoint
ALTER TABLE `search_index` DROP COLUMN `building`;--> statement-breakpoint
ALTER TABLE `search_index` DROP COLUMN `position`;--> statement-breakpoint
ALTER TABLE `search_index` DROP COLUMN `last_id`;--> statement-breakpoint
ALTER TABLE `search_index` DROP COLUMN `done`;--> statement-breakpoint
ALTER TABLE `search_index` DROP COLUMN `total`;--> statement-breakpoint
ALTER TABLE `search_index` DROP COLUMN `lease`;--> statement-breakpoint
ALTER TABLE `search_index` DROP COLUMN `lease_until`;