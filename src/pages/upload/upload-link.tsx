import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { mediaAccess, nodeAccess, replaceSourceAccess } from '../../repository/access.ts';
import type { View } from '../view.ts';
import { uploadPagePath } from './upload-data.ts';

/** The link to the upload page of a node or media, for callers who may change it. */
export function UploadLink({ view }: { readonly view: View }) {
  const { content, root, language } = view;
  const { type } = content.kind;
  if ((type !== 'node' && type !== 'media') || !mayUpload(view)) return null;
  return (
    <p class="upload-link" {...langWithin(PAGE_LANGUAGE, language)}>
      <a class="button" href={root + uploadPagePath(type, content.head.id)}>
        {type === 'node' ? 'Add files' : 'Replace the file'}
      </a>
    </p>
  );
}

function mayUpload({ content: { kind, head }, source: { actor, model } }: View): boolean {
  if (!actor.isAuthenticated) return false;
  if (kind.type === 'media') return replaceSourceAccess(actor, head).isAllowed;
  return nodeAccess.update(actor, head).isAllowed && mediaAccess.createAny(actor, model.mediaTypes.keys()).isAllowed;
}
