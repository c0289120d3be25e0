import type { FieldValues, Item, MediaType } from '../../model/content-model.ts';
import type { Draft } from '../content/base-field.ts';
import { fillFields } from '../content/fill-from-source.ts';
import type { Services } from '../content/services.ts';
import { findTargets, type Target, Targets } from '../content/targets.ts';

/**
 * Measures the present file of a media that returns to former values: the file may have got other bytes since. Changes draft
 * and values: size, MIME type, width and height.
 */
export async function measureAgain(
  services: Services,
  type: MediaType,
  draft: Draft,
  values: FieldValues,
): Promise<Targets> {
  const id = values[type.sourceField.name]?.[0]?.target_id;
  if (type.source === 'remote_video' || typeof id !== 'number') return new Targets();
  const targets = await findTargets(services.database, new Map([['file', { ids: new Set([id]), uuids: new Set() }]]));
  const target = targets.get('file', id);
  const mimeField = type.autoFilled.get('mimetype');
  if (target) await fillMeasured(services, type, draft, values, target, (field) => field !== mimeField);
  return targets;
}

/** Fills the fields that are taken from a file (`fillFields`), and the size of its image in all places. */
export async function fillMeasured(
  services: Services,
  type: MediaType,
  draft: Draft,
  values: FieldValues,
  target: Target,
  isSent: (field: string) => boolean,
): Promise<void> {
  if (!target.file) return;
  await fillFields(services, type, draft, values, target, isSent);
  const { name, type: fieldType } = type.sourceField;
  if (fieldType !== 'image') return;
  const { width, height } = target.file;
  const sized = (items: Item[] = []) => items.map((item) => ({ ...item, width, height }));
  values[name] = sized(values[name]);
  if (type.source === 'image') draft.base.thumbnail = sized(draft.base.thumbnail);
}
