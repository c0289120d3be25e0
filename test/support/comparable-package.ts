import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { Package, PackageVersion } from '../../src/transfer/files/package.ts';
import { bytesOf } from './made-package.ts';

/** The members that may differ between two repositories: ids, and addresses with ids. */
const IDS = new Set(['nid', 'mid', 'tid', 'fid', 'vid', 'revision_id', 'target_id', 'pid']);
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** A version of a package in a form in which it can be compared with that of another repository. */
export interface ComparableVersion {
  readonly created: string;
  readonly message: string;
  readonly user: string | undefined;
  /** By path: JSON without ids and with names instead of the UUIDs of users and of terms that both had; SHA-256 of the rest. */
  readonly files: Readonly<Record<string, JsonValue>>;
}

/** A package in a form in which it can be compared. `shared` names the terms that both repositories had, by UUID. */
export async function comparable(source: Package, shared: ReadonlyMap<string, string>): Promise<ComparableVersion[]> {
  const versions: ComparableVersion[] = [];
  for (const version of source.versions) versions.push(await comparableVersion(version, shared));
  return versions;
}

async function comparableVersion(
  { created, message, user, files }: PackageVersion,
  shared: ReadonlyMap<string, string>,
): Promise<ComparableVersion> {
  const texts = new Map<string, string>();
  const names = new Map(shared);
  const found: Record<string, JsonValue> = {};
  for (const [path, file] of files) {
    const bytes = await bytesOf(file);
    if (path.endsWith('.json')) texts.set(path, bytes.toString());
    else found[path] = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
  }
  for (const [path, text] of texts) {
    if (!path.startsWith('users/')) continue;
    const { uuid, name } = JSON.parse(text);
    names.set(uuid[0].value, `user ${name[0].value}`);
  }
  for (const [path, text] of texts) {
    const [name, itsUuid] = [path, UUID.exec(path)?.[0] ?? ''];
    // A term that was there before has times of its own.
    if (path.startsWith('terms/') && shared.has(itsUuid)) continue;
    const document = JSON.parse(text) as JsonObject;
    found[names.get(itsUuid) ?? name] = withoutIds(document, names, files) as JsonObject;
  }
  return { created: created.toISOString(), message, user: user?.name, files: found };
}

function withoutIds(value: JsonValue, names: ReadonlyMap<string, string>, files: PackageVersion['files']): JsonValue {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => withoutIds(each, names, files));
  if (typeof value !== 'object' || value === null) return value;
  // The icon is of each repository.
  const isIcon = value.target_type === 'file' && !files.has(`files/${value.target_uuid}.json`);
  const members = Object.entries(value).flatMap(([name, member]): [string, JsonValue][] => {
    if (isIcon && name === 'target_uuid') return [];
    if (IDS.has(name) && (typeof member === 'number' || (Array.isArray(member) && hasNumber(member)))) return [];
    if (name === 'url' && typeof member === 'string' && /^\/(node|media|taxonomy\/term|user)\/\d+$/.test(member))
      return [];
    return [[name, withoutIds(member, names, files)]];
  });
  return Object.fromEntries(members);
}

function hasNumber(items: JsonValue[]): boolean {
  return items.some((item) => typeof item === 'object' && item !== null && 'value' in item);
}
