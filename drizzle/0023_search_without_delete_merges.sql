-- FTS5 can damage its index when it merges rows because many were deleted (docs/decisions/070-no-merges-for-deletions.md).
-- The index is emptied by its own tables, since a damaged one cannot be opened, and is built again by the next start.
DELETE FROM `search_text_data`;
--> statement-breakpoint
DELETE FROM `search_text_idx`;
--> statement-breakpoint
DELETE FROM `search_text_docsize`;
--> statement-breakpoint
INSERT INTO `search_text_data` (`id`, `block`) VALUES (1, x''), (10, x'00000000FF000001000000');
--> statement-breakpoint
INSERT INTO `search_text` (`search_text`) VALUES ('delete-all');
--> statement-breakpoint
INSERT INTO `search_text` (`search_text`, `rank`) VALUES ('deletemerge', 0);
--> statement-breakpoint
UPDATE `search_index` SET `building` = '', `position` = 0, `done` = 0 WHERE `version` IS NOT NULL;
