import type { Alias } from '../../repository/addresses/save-alias.ts';

/** An alias as JSON text, in the form of an entity. There are none that are not published. */
export function aliasJson({ id, uuid, langcode, path, alias }: Alias): string {
  return JSON.stringify({
    id: [{ value: id }],
    uuid: [{ value: uuid }],
    langcode: [{ value: langcode }],
    path: [{ value: path }],
    alias: [{ value: alias }],
    status: [{ value: true }],
  });
}
