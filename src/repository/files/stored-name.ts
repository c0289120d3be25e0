import { unprocessable } from '../../base/errors.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { takesExtension } from './takes-extension.ts';

/** What a web server somewhere might run; never kept under such a name (spec: rest-behaviour, 10.1). */
const DANGEROUS = new Set(['phar', 'php', 'pl', 'py', 'cgi', 'asp', 'js', 'htaccess', 'phtml']);
const MAX_NAME_CHARS = 200;

const failed = (line: string) => unprocessable(`Unprocessable Entity: file validation failed.\n${line}`);

/**
 * The name under which an upload is kept: its own, made harmless. Throws `unprocessable` for an extension that
 * the field does not take. `x.php` becomes `x.php_.txt` where the field takes it, `x.php.doc` `x.php_.doc`.
 */
export function storedName(name: string, { fileExtensions = [] }: Pick<FieldDefinition, 'fileExtensions'>): string {
  const clipped = clip(name.normalize('NFC'));
  const parts = clipped.split('.');
  const last = parts.length > 1 ? (parts.at(-1) as string).toLowerCase() : '';
  const takesAll = fileExtensions.length === 0;
  if (!takesExtension(fileExtensions, clipped))
    throw failed(`Only files with the following extensions are allowed: ${fileExtensions.join(' ')}.`);
  const inner = parts.map((part, index) => {
    const isInner = index > 0 && index < parts.length - 1;
    return isInner && DANGEROUS.has(part.toLowerCase()) ? `${part}_` : part;
  });
  if (!DANGEROUS.has(last)) return inner.join('.');
  if (!takesAll && !fileExtensions.includes('txt'))
    throw failed('For security reasons, your upload has been rejected.');
  return `${inner.join('.')}_.txt`;
}

/** A shorter name with the same extension, so that folder and suffix find room beside it. */
function clip(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_NAME_CHARS) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? [...name.slice(dot)] : [];
  return [...characters.slice(0, MAX_NAME_CHARS - extension.length), ...extension].slice(0, MAX_NAME_CHARS).join('');
}
