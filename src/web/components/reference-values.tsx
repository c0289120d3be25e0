/** @jsxImportSource preact */
import mime from 'mime';
import { CONFIG_TYPES, type FieldDefinition, type Item } from '../../model/content-model.ts';
import { entityPath, filePath } from '../../paths.ts';
import { fileNameOf, linkableAddress, ownPath } from '../addresses.ts';
import { showingOf } from '../browser-media.ts';
import { textOf, type View } from '../view.ts';
import type { ShowItem } from './show-item.ts';

const CONFIG: ReadonlySet<unknown> = new Set(CONFIG_TYPES);

/** A link to what is referred to, under its name. Of what the caller may not view nothing is shown. */
export const showReference: ShowItem = (item, _definition, view) => {
  const target = view.targetOf(item);
  if (target !== undefined) return <a href={view.root + entityPath[target.type](target.id)}>{target.label}</a>;
  // Configuration is nobody's secret, has no page, and its id is its name.
  return CONFIG.has(item.target_type) ? textOf(item.target_id) : undefined;
};

/** A reference with the role that its target plays. */
export const showRelation: ShowItem = (item, definition, view) => {
  const link = showReference(item, definition, view);
  if (link === undefined) return undefined;
  const role = roleOf(item, definition);
  return (
    <>
      {link}
      {role && <span class="aside"> ({role})</span>}
    </>
  );
};

function roleOf({ rel_type }: Item, { relationTypes = {} }: FieldDefinition): string | undefined {
  const type = textOf(rel_type);
  return type !== undefined && Object.hasOwn(relationTypes, type) ? relationTypes[type] : type;
}

/** An address under its title, with the authority file that it is of. */
export const showLink: ShowItem = ({ uri, title, source }, { authoritySources = {} }) => {
  const address = textOf(uri);
  if (address === undefined) return undefined;
  const text = textOf(title) ?? address;
  const linked = linkableAddress(address);
  const code = textOf(source);
  const authority = code !== undefined && Object.hasOwn(authoritySources, code) ? authoritySources[code] : code;
  return (
    <>
      {linked ? <a href={linked}>{text}</a> : text}
      {authority && <span class="aside"> ({authority})</span>}
    </>
  );
};

/** A file under its name. */
export const showFile: ShowItem = (item, definition, view) => {
  const path = pathOfFile(item, definition, view);
  return path && <a href={view.root + path}>{textOf(item.description) ?? fileNameOf(path)}</a>;
};

/** An image, or a link to one that browsers do not show. That of a media stands on its own already. */
export const showImage: ShowItem = (item, definition, view) => {
  const path = pathOfFile(item, definition, view);
  if (path === undefined || isSource(definition, view) || !isShown(path)) return showFile(item, definition, view);
  return <img src={view.root + path} alt={textOf(item.alt) ?? ''} loading="lazy" />;
};

/** Subtitles and the like, by their label. */
export const showTrack: ShowItem = (item, definition, view) => {
  const path = pathOfFile(item, definition, view);
  if (path === undefined) return undefined;
  const about = [item.kind, item.srclang].flatMap((part) => textOf(part) ?? []);
  return (
    <>
      <a href={view.root + path}>{textOf(item.label) ?? fileNameOf(path)}</a>
      {about.length > 0 && <span class="aside"> ({about.join(', ')})</span>}
    </>
  );
};

function isSource({ name }: FieldDefinition, { sourceField }: View): boolean {
  return name === sourceField?.name;
}

function pathOfFile({ url }: Item, definition: FieldDefinition, view: View): string | undefined {
  if (!isSource(definition, view)) return ownPath(url);
  const { file } = view.around;
  return file && filePath(file.uri);
}

function isShown(path: string): boolean {
  return showingOf(mime.getType(path) ?? '') === 'image';
}
