DROP INDEX `node_record_harvest`;--> statement-breakpoint
CREATE INDEX `node_record_harvest` ON `node_record` (`harvest_stamp`,`nid`,`bundle`) WHERE "node_record"."harvest_stamp" IS NOT NULL;
