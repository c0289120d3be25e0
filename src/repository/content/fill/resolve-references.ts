import type { JsonValue } from '../../../base/json.ts';
import type { FieldType, Violation } from '../../../field-types/field-type.ts';
import {
  CONFIG_TYPES,
  type ConfigType,
  type ContentModel,
  type EntityType,
  type FieldDefinition,
  type Item,
} from '../../../model/content-model.ts';
import { entityPath, filePath } from '../../../paths.ts';
import type { Actor } from '../../actor.ts';
import { referenceWithoutTarget } from '../../errors.ts';
import { CAPTIONS_TYPE, captionsProblemOf } from '../../files/check-captions.ts';
import { refusedExtension } from '../../files/content-location.ts';
import { CONTENT_ACCESS } from '../../paragraph-access.ts';
import { mayReadFile } from '../read/readable-files.ts';
import { entityTarget } from '../referring-fields.ts';
import type { Services } from '../services.ts';
import { foreignRevisions, type Host, refusedHost, withRevision } from './paragraph-references.ts';
import { findTargets, type Target, type TargetFile, type TargetQuery, type Targets } from './targets.ts';

/** A submitted field. */
export interface SubmittedField {
  readonly definition: FieldDefinition;
  items: Item[];
  /** The stored items, which clients send again when they add one. */
  readonly stored: readonly Item[];
}

export interface ResolveOptions {
  /** Targets that the same transaction creates. */
  readonly newTargets?: readonly Target[];
  /** True accepts targets of any bundle (spec: rest-behaviour, 5.1 "Not checked"). */
  readonly anyBundle?: boolean;
  /** True for content of a package, whose captions may be from before they were checked. */
  readonly isRestored?: boolean;
  /** True for a derivative: it belongs to the node of its source. */
  readonly isOfProgram?: boolean;
  /** The referring entity; undefined if it cannot have paragraphs. */
  readonly host?: Host;
}

interface ReferenceCheck {
  /** By field name. */
  readonly violations: Map<string, Violation[]>;
  readonly targets: Targets;
}

/**
 * Replaces submitted references (`target_id` or `target_uuid`) by complete ones, in place, and returns violations for
 * invalid targets (spec: rest-behaviour, 1.3). One round trip for any number of fields. Throws `unprocessable` for an
 * unknown UUID.
 */
export async function resolveReferences(
  services: Services,
  actor: Actor,
  fields: readonly SubmittedField[],
  { newTargets = [], anyBundle = false, isRestored = false, host }: ResolveOptions = {},
): Promise<ReferenceCheck> {
  const referring = fields.filter(({ definition }) => entityTarget(definition) !== undefined);
  const wanted = wantedBy(referring);
  for (const { type, id } of newTargets) wanted.get(type)?.ids.delete(id);
  const targets = await findTargets(services.database, wanted, services.terms);
  for (const target of newTargets) targets.add(target);
  const violations = new Map<string, Violation[]>();
  for (const field of fields) resolveConfig(services.model, field, violations);
  for (const field of referring) {
    const { definition } = field;
    const fieldType = services.fields.types.of(definition);
    const type = entityTarget(definition) as EntityType;
    const problems: Violation[] = [];
    const whole: Item[] = [];
    const kept = new Set(field.stored.map(({ target_id }) => target_id));
    for (const [delta, item] of field.items.entries()) {
      const target = find(targets, type, item, delta);
      const isKept = target !== undefined && kept.has(target.id);
      const bundles = anyBundle ? undefined : definition.targetBundles;
      const reason = isKept
        ? refusedParagraph(target, host)
        : type === 'file' && target !== undefined && !newTargets.includes(target)
          ? await refusedFile(services, actor, target)
          : refusedTarget(actor, bundles, type, item, target, host);
      const at = `${definition.name}.${delta}`;
      if (reason !== undefined) problems.push({ path: `${at}.target_id`, message: reason });
      const badName = target?.file && refusedExtension(definition.fileExtensions, target.file.filename);
      if (badName) problems.push({ path: at, message: badName });
      else if (target?.file && reason === undefined && !isKept && !isRestored && isCaptions(fieldType, target.file)) {
        const message = await captionsProblemOf(services, target.file);
        if (message !== undefined) problems.push({ path: at, message });
      }
      whole.push(target === undefined ? item : reference(fieldType, withRevision(item, target), target));
    }
    field.items = whole;
    if (problems.length > 0) violations.set(definition.name, problems);
  }
  const toParagraphs = referring
    .filter(({ definition: { name, targetType } }) => targetType === 'paragraph' && !violations.has(name))
    .map(({ definition: { name }, items }) => ({ name, items }));
  if (toParagraphs.length > 0)
    for (const [name, problems] of await foreignRevisions(services, toParagraphs, targets))
      violations.set(name, problems);
  return { violations, targets };
}

/** Resolves references to configuration, without the database. */
export function resolveConfig(model: ContentModel, field: SubmittedField, violations: Map<string, Violation[]>): void {
  const { name, targetType } = field.definition;
  const type = CONFIG_TYPES.find((each) => each === targetType);
  if (type === undefined) return;
  const targets = CONFIG_TARGETS[type](model);
  const problems: Violation[] = [];
  field.items = field.items.map((item, delta) => {
    const target = typeof item.target_id === 'string' ? targets.get(item.target_id) : undefined;
    if (target) return { ...item, target_type: type, target_uuid: target.uuid };
    const message = `The referenced entity (${type}: ${shownId(item.target_id)}) does not exist.`;
    problems.push({ path: `${name}.${delta}.target_id`, message });
    return item;
  });
  if (problems.length > 0) violations.set(name, problems);
}

const CONFIG_TARGETS: Readonly<
  Record<ConfigType, (model: ContentModel) => ReadonlyMap<string, { readonly uuid: string }>>
> = {
  node_type: ({ nodeTypes }) => nodeTypes,
  media_type: ({ mediaTypes }) => mediaTypes,
  taxonomy_vocabulary: ({ vocabularies }) => vocabularies,
  paragraphs_type: ({ paragraphTypes }) => paragraphTypes,
  user_role: ({ roles }) => roles,
};

/** Returns an item with the members of its target, in the order of the API (spec: rest-behaviour, 3.2). */
export function reference(type: FieldType, item: Item, target: Target): Item {
  const whole: Item = { target_id: target.id };
  for (const member of Object.keys(item)) if (!OF_TARGET.has(member)) whole[member] = item[member] as JsonValue;
  Object.assign(whole, type.ofFile(target.file));
  whole.target_type = target.type;
  whole.target_uuid = target.uuid;
  // Paragraphs have no page.
  if (target.type === 'paragraph') return whole;
  whole.url = target.file ? filePath(target.file.uri) : entityPath[target.type as keyof typeof entityPath](target.id);
  return whole;
}

/** Members that the target determines. */
const OF_TARGET: ReadonlySet<string> = new Set(['target_id', 'target_uuid', 'target_type', 'url']);

/** Returns the targets of fields with references to entities. */
export function wantedBy(fields: readonly SubmittedField[]): TargetQuery {
  const wanted: TargetQuery = new Map();
  for (const { definition, items } of fields) {
    const type = entityTarget(definition) as EntityType;
    const ofType = wanted.get(type) ?? { ids: new Set<number>(), uuids: new Set<string>() };
    wanted.set(type, ofType);
    for (const { target_id, target_uuid } of items) {
      if (typeof target_uuid === 'string') ofType.uuids.add(target_uuid.toLowerCase());
      else if (isId(target_id)) ofType.ids.add(target_id);
    }
  }
  return wanted;
}

function find(targets: Targets, type: EntityType, item: Item, delta: number): Target | undefined {
  const { target_id, target_uuid } = item;
  if (typeof target_uuid === 'string') {
    const target = targets.get(type, target_uuid.toLowerCase());
    if (target === undefined) throw referenceWithoutTarget(type, target_uuid, delta);
    return target;
  }
  return isId(target_id) ? targets.get(type, target_id) : undefined;
}

const MAX_SHOWN_CHARS = 100;

/** Returns the text of a submitted id, which may be any JSON value. */
function shownId(id: JsonValue | undefined): string {
  const text = typeof id === 'object' ? JSON.stringify(id) : String(id);
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}

function isId(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}

function refusedTarget(
  actor: Actor,
  targetBundles: readonly string[] | undefined,
  type: EntityType,
  item: Item,
  target: Target | undefined,
  host: Host | undefined,
): string | undefined {
  if (target === undefined) return `The referenced entity (${type}: ${shownId(item.target_id)}) does not exist.`;
  const named = `(${type}: ${target.id})`;
  const unreferenceable = `This entity ${named} cannot be referenced.`;
  if (!allowsBundle(targetBundles, target)) return unreferenceable;
  if (type === 'user' || type === 'file') return undefined;
  const facts = target.paragraph === undefined ? target : { ...target, hosts: target.paragraph.hosts };
  if (CONTENT_ACCESS[type].view(actor, facts).isAllowed) return refusedParagraph(target, host);
  return target.status ? noAccess(target) : unreferenceable;
}

/** Returns true if a field accepts the bundle of a target. Files and users have none. */
export function allowsBundle(targetBundles: readonly string[] | undefined, { bundle }: Target): boolean {
  return targetBundles === undefined || bundle === '' || targetBundles.includes(bundle);
}

function refusedParagraph(target: Target, host: Host | undefined): string | undefined {
  return target.type === 'paragraph' ? refusedHost(target, host) : undefined;
}

async function refusedFile(services: Services, actor: Actor, target: Target): Promise<string | undefined> {
  return (await mayReferToFile(services, actor, target)) ? undefined : noAccess(target);
}

function noAccess({ type, id }: Target): string {
  return `You do not have access to the referenced entity (${type}: ${id}).`;
}

/** Only its owner may refer to a temporary file (spec: rest-behaviour, 4). */
async function mayReferToFile(services: Services, actor: Actor, target: Target): Promise<boolean> {
  if (!target.status) return actor.isAuthenticated && target.ownerId === actor.id;
  return mayReadFile(services, actor, target.id);
}

/** Returns true for a file that must be WebVTT: a track of a media, and a file with its type. */
function isCaptions({ isTrack }: FieldType, { filemime }: TargetFile): boolean {
  return isTrack || filemime === CAPTIONS_TYPE;
}
