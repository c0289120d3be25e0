import type { FieldValues, Item, MediaType } from '../../model/content-model.ts';
import type { Draft } from '../content/base-field.ts';
import { findTargets, Targets } from '../content/targets.ts';
import type { Services } from '../services.ts';
import { fillFields } from './fill-from-source.ts';

/**
 * Gives a media that goes back to former values what is measured of its file as it is now, which may have got
 * other bytes since: size, MIME type, width and height. Changes draft and values.
 */
export async function measureAgain(
  services: Services,
  type: MediaType,
  draft: Draft,
  values: FieldValues,
): Promise<Targets> {
  const { name, type: fieldType } = type.sourceField;
  const id = values[name]?.[0]?.target_id;
  if (type.source === 'remote_video' || typeof id !== 'number') return new Targets();
  const targets = await findTargets(services.database, new Map([['file', { ids: new Set([id]), uuids: new Set() }]]));
  const target = targets.get('file', id);
  if (!target?.file) return targets;
  const mimeField = type.autoFilled.get('mimetype');
  await fillFields(services, type, draft, values, target, (field) => field !== mimeField);
  if (fieldType !== 'image') return targets;
  const { width, height } = target.file;
  const sized = (items: Item[] = []) => items.map((item) => ({ ...item, width, height }));
  values[name] = sized(values[name]);
  if (type.source === 'image') draft.base.thumbnail = sized(draft.base.thumbnail);
  return targets;
}
