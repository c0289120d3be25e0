import { query } from './query-builder.ts';
import { generations } from './schema/system.ts';
import { prepare } from './statement.ts';

/** Finds the generation (`Database.generation`). */
export const findGeneration = prepare(() => query.select({ value: generations.value }).from(generations));
