import type { ComponentChild } from 'preact';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { CONFIG_TYPES, type FieldDefinition, type Item } from '../model/content-model.ts';
import type { FieldFacts } from '../model/field-facts.ts';
import { entityPath } from '../paths.ts';
import { isNothing, toInteger } from './convert-value.ts';
import { languageOf, langWithin, PAGE_LANGUAGE } from './display/language.ts';
import { RightsIcon, rightsOf } from './display/rights.tsx';
import type { Violation } from './field-type.ts';
import { type PageView, textOf } from './page-view.ts';
import { wrongType } from './violation.ts';

const CONFIG_NAMES: ReadonlySet<string> = new Set(CONFIG_TYPES);
/** The members that the repository adds to a reference, in the order of the API. */
const TARGET_MEMBERS = ['target_type', 'target_uuid', 'url'];
/** The entity types with bundles that a reference may be limited to. */
const WITH_BUNDLES: ReadonlySet<string> = new Set(['node', 'media', 'taxonomy_term', 'paragraph']);

/** Returns true if a field refers to configuration, whose ids are machine names. */
export function refersToConfig({ targetType }: Pick<FieldDefinition, 'targetType'>): boolean {
  return targetType !== undefined && CONFIG_NAMES.has(targetType);
}

/**
 * Returns the target of an item: its UUID if it has one, otherwise its id. Configuration always has its id, a name.
 * Undefined without a target (decision 90).
 */
export function readTarget(raw: JsonObject, definition: Pick<FieldDefinition, 'targetType'>): Item | undefined {
  const id = raw.target_id;
  const uuid = raw.target_uuid;
  const hasId = !isNothing(id) && id !== false;
  const hasUuid = !isNothing(uuid) && uuid !== false;
  if (refersToConfig(definition)) {
    if (hasId) return { target_id: typeof id === 'number' ? String(id) : id };
  } else if (hasId && !hasUuid) return { target_id: toInteger(id) };
  return hasUuid ? { target_uuid: uuid } : undefined;
}

/** Returns a violation for an invalid id or UUID. The caller checks whether the target exists. */
export function targetViolations(item: Item, definition: Pick<FieldDefinition, 'targetType'>): Violation[] {
  if (item.target_uuid !== undefined && typeof item.target_uuid !== 'string') return [wrongType('target_uuid')];
  if (item.target_id === undefined) return [];
  const isId = refersToConfig(definition) ? typeof item.target_id === 'string' : Number.isSafeInteger(item.target_id);
  return isId ? [] : [wrongType('target_id')];
}

/** Returns a reference with its members in the order of the API: id, members of the type, members from the repository. */
export function withTarget(item: Item, own: Record<string, JsonValue>): Item {
  const whole: Item = item.target_id === undefined ? { ...own } : { target_id: item.target_id, ...own };
  for (const member of TARGET_MEMBERS) {
    const value = item[member];
    if (value !== undefined) whole[member] = value;
  }
  return whole;
}

/** The `expectedMain` of references: the name of configuration, an id or a UUID. */
export const expectedTarget: FieldFacts['expectedMain'] = (value, { targetType }, { configNames }) => {
  const type = CONFIG_TYPES.find((each) => each === targetType);
  if (type !== undefined) {
    const names = configNames[type];
    return names.has(value as string) ? undefined : `one of ${[...names].join(', ')}`;
  }
  return Number.isSafeInteger(value) || typeof value === 'string' ? undefined : 'an id';
};

/** Returns the settings of a reference for `/entity/field_config`. */
export function referenceSettings(definition: FieldDefinition): JsonObject {
  const { targetType, targetBundles, autoCreate, autoCreateBundle } = definition;
  if (targetType === undefined) return {};
  const handler = `default:${targetType}`;
  if (!WITH_BUNDLES.has(targetType)) return { handler, handler_settings: {} };
  const targets = targetBundles && Object.fromEntries(targetBundles.map((name) => [name, name]));
  return {
    handler,
    handler_settings: {
      target_bundles: targets ?? null,
      auto_create: autoCreate,
      auto_create_bundle: autoCreateBundle ?? '',
    },
  };
}

/** Returns a link to the target with its label; the label alone for a new term. Undefined if the caller may not view it. */
export function showTarget(item: Item, view: PageView): ComponentChild | undefined {
  const target = view.targetOf(item);
  if (target !== undefined) {
    const { type, id, label, language, externalUri, authorityUri } = target;
    if (target.isNew)
      return (
        <>
          <bdi>{label}</bdi>
          <span class="aside" {...langWithin(PAGE_LANGUAGE, view.language)}>
            {' '}
            (new term)
          </span>
        </>
      );
    const rights = [externalUri, authorityUri].flatMap((uri) => (uri && rightsOf(uri)) || [])[0];
    return (
      <>
        <a href={view.root + entityPath[type](id)}>
          <bdi {...(language !== undefined && langWithin(languageOf(language), view.language))}>{label}</bdi>
        </a>
        {rights && <RightsIcon rights={rights} />}
      </>
    );
  }
  // Configuration is public and has no page. Its id is its name.
  return CONFIG_NAMES.has(String(item.target_type)) ? textOf(item.target_id) : undefined;
}
