import { accessRule } from './access-rule.ts';
import { textareaAttr, textfieldAttr } from './attributed-text.tsx';
import { authorityLink } from './authority-link.ts';
import { boolean } from './boolean.tsx';
import { comment } from './comment.ts';
import { edtf } from './edtf.tsx';
import { email } from './email.tsx';
import { configReference, entityReference, entityReferenceRevisions } from './entity-reference.ts';
import { type FieldType, FieldTypes } from './field-type.ts';
import { file } from './file.tsx';
import { geolocation } from './geolocation.tsx';
import { image } from './image.tsx';
import { language } from './language.ts';
import { link } from './link.tsx';
import { listString } from './list-string.ts';
import { mediaTrack } from './media-track.tsx';
import { ownMoment, timestamp } from './moment.tsx';
import { decimal, float, integer } from './number.tsx';
import { path } from './path.ts';
import { string, stringLong } from './string.tsx';
import { text, textLong, textWithSummary } from './text.tsx';
import { hierarchicalGeographic, partDetail, relatedItem } from './text-parts.ts';
import { typedRelation } from './typed-relation.tsx';
import { uri } from './uri.ts';
import { uuid } from './uuid.ts';

/** The built-in field types by their name in model files. */
export const BUILT_IN = {
  string,
  string_long: stringLong,
  text,
  text_long: textLong,
  text_with_summary: textWithSummary,
  list_string: listString,
  boolean,
  integer,
  decimal,
  float,
  edtf,
  entity_reference: entityReference,
  typed_relation: typedRelation,
  file,
  image,
  media_track: mediaTrack,
  link,
  authority_link: authorityLink,
  geolocation,
  comment,
  created: ownMoment,
  changed: ownMoment,
  timestamp,
  language,
  uuid,
  uri,
  path,
  email,
  textfield_attr: textfieldAttr,
  textarea_attr: textareaAttr,
  related_item: relatedItem,
  part_detail: partDetail,
  hierarchical_geographic: hierarchicalGeographic,
  config_reference: configReference,
  entity_reference_revisions: entityReferenceRevisions,
  access_rule: accessRule,
} satisfies Readonly<Record<string, FieldType>>;

/** The field types of a repository without further ones. */
export const builtInTypes = new FieldTypes(BUILT_IN);

/** The name of a built-in field type. */
export type BuiltInName = keyof typeof BUILT_IN;
