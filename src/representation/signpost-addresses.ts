import { isLinkAddress } from '../field-types/link-address.ts';
import { encodeAddress } from '../http/link-header.ts';
import type { FieldValues } from '../model/content-model.ts';
import type { FieldSignpost, Signpost } from '../model/signposting.ts';
import { entityPath } from '../paths.ts';
import type { Neighbour, Surroundings } from '../repository/content/surroundings.ts';

/** The first value of these fields that is an address or an identifier with one, as an address. */
export function findCited(members: FieldValues, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    for (const value of valuesOf(members, field)) {
      const address = permanentAddress(value);
      if (address !== undefined) return address;
    }
  }
  return undefined;
}

/**
 * The absolute addresses that signposts lead to, of references only to what `around` has. Values that are no web
 * address lead nowhere.
 */
export function addressesOf(
  signposts: readonly Signpost[],
  rel: string,
  members: FieldValues,
  around: Surroundings,
  baseUrl: string,
): string[] {
  const addresses: string[] = [];
  const add = (address: string | undefined) => {
    if (address !== undefined) addresses.push(address);
  };
  for (const signpost of signposts) {
    if ('address' in signpost) addresses.push(signpost.address);
    else if (signpost.isReference) {
      for (const target of targetsOf(signpost, members, around)) add(addressOf(target, rel, baseUrl));
    } else {
      for (const value of valuesOf(members, signpost.field)) add(webAddressIn(value));
    }
  }
  return addresses;
}

/** The addresses of a link field, and the texts of any other. */
function valuesOf(members: FieldValues, field: string): string[] {
  return (members[field] ?? []).map(({ uri, value }) =>
    typeof uri === 'string' ? encodeAddress(uri) : String(value ?? ''),
  );
}

/** Of certain relations in the order of those: the same person may be the editor first and the author then. */
function targetsOf(
  { field, relations }: FieldSignpost,
  members: FieldValues,
  around: Surroundings,
): readonly Neighbour[] {
  const targets: Neighbour[] = [];
  for (const each of around.targets) if (each.field === field) targets.push(each.target);
  if (relations === undefined || targets.length === 0) return targets;
  const byId = new Map<unknown, Neighbour>(targets.map((target) => [target.id, target]));
  const items = (members[field] ?? []).filter(({ rel_type }) => relations.has(String(rel_type)));
  return items.map(({ target_id }) => byId.get(target_id)).filter((target) => target !== undefined);
}

/** A term stands for something elsewhere. One that has no address there is a name for people, and no type to a machine. */
function addressOf(
  { type, id, authorityUri, externalUri }: Neighbour,
  rel: string,
  baseUrl: string,
): string | undefined {
  const elsewhere = webAddressIn(encodeAddress(authorityUri ?? '')) ?? webAddressIn(encodeAddress(externalUri ?? ''));
  if (type === 'taxonomy_term' && (elsewhere !== undefined || rel === 'type')) return elsewhere;
  return baseUrl + entityPath[type](id);
}

const DOI = /^(?:doi:\s*)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i;
const HANDLE = /^hdl:\s*(\d+(?:\.\w+)*\/\S+)$/i;
const ARK = /^ark:\s*\/?([0-9bcdfghjkmnpqrstvwxz]{5,16}\/\S+)$/i;
/** What would end the path of an address. */
const PATH_ENDS = /[%?#]/g;

/**
 * The address under which an identifier is resolved: of a DOI, a Handle or an ARK that of its resolver, and a web
 * address as it is. Undefined for anything else.
 */
export function permanentAddress(text: string): string | undefined {
  const identifier = text.trim();
  const [, doi] = DOI.exec(identifier) ?? [];
  if (doi !== undefined) return `https://doi.org/${doi.replace(PATH_ENDS, encodeURIComponent)}`;
  const [, handle] = HANDLE.exec(identifier) ?? [];
  if (handle !== undefined) return `https://hdl.handle.net/${handle.replace(PATH_ENDS, encodeURIComponent)}`;
  const [, ark] = ARK.exec(identifier) ?? [];
  if (ark !== undefined) return `https://n2t.net/ark:/${ark}`;
  return webAddressIn(identifier);
}

/** The web address that a text is, if it is one and nothing else. */
export function webAddressIn(text: string): string | undefined {
  const address = text.trim();
  return !/\s/.test(address) && isLinkAddress(address, 'external') ? address : undefined;
}
