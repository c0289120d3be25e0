import { findVisible, type ReconcileServices } from '../../authorities/reconcile/find-candidates.ts';
import { parseMap } from '../../authorities/reconcile/parse-queries.ts';
import { propertiesOf, valuesOf } from '../../authorities/reconcile/term-properties.ts';
import { malformed, ServiceError } from '../../base/errors.ts';
import { numberText } from '../../base/in-words.ts';
import { isMap } from '../../base/is-map.ts';
import type { Actor } from '../../repository/actor.ts';
import { membersOf } from '../../repository/content/content.ts';
import { findAllContent } from '../../repository/content/read/find-content.ts';

const MAX_IDS = 500;
const MAX_PROPERTIES = 50;

/** Returns the values of properties of terms that the caller may view (Reconciliation Service API 0.2, 7). */
export async function extend(services: ReconcileServices, actor: Actor, json: string): Promise<object> {
  const { ids = [], properties = [] } = parseMap(json, 'extend');
  if (!Array.isArray(ids) || !Array.isArray(properties))
    throw malformed('"extend" needs the lists ids and properties.');
  if (ids.length > MAX_IDS)
    throw new ServiceError('too-large', `"extend" has at most ${MAX_IDS} ids, found ${numberText(ids.length)}.`);
  const { model, kind, database } = services;
  const known = new Map(propertiesOf(model.vocabularies.values()).map((property) => [property.id, property.name]));
  const wanted = properties.slice(0, MAX_PROPERTIES).map((each) => String(isMap(each) ? each.id : each));
  const asked = ids.map(String);
  const numbers = asked.filter((id) => /^\d{1,15}$/.test(id)).map(Number);
  const visible = new Set((await findVisible(services, actor, numbers)).map(({ id }) => id));
  const contents = await findAllContent(database, kind, [...visible]);
  const byId = new Map(contents.map((content) => [String(content.head.id), content]));
  const rows = asked.map((id) => {
    const content = byId.get(id);
    const members = content && membersOf(content);
    const cells = wanted.map((property) => {
      const values = content && members ? valuesOf(content.bundle, members, property) : [];
      return [property, values.map((str) => ({ str }))];
    });
    return [id, Object.fromEntries(cells)];
  });
  return {
    meta: wanted.map((id) => ({ id, name: known.get(id) ?? id })),
    rows: Object.fromEntries(rows),
  };
}
