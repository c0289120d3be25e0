import type { FieldTypeName } from '../model/content-model.ts';
import * as attribute from './attribute-types.ts';
import { language, listString } from './choice-types.ts';
import { comment } from './comment.ts';
import { moment } from './date-types.ts';
import { edtf } from './edtf.ts';
import type { FieldType } from './field-type.ts';
import { file, image, mediaTrack } from './file-types.ts';
import { geolocation } from './geolocation.ts';
import { email, path, uri, uuid } from './identifier-types.ts';
import { authorityLink, link } from './link-types.ts';
import { boolean, decimal, float, integer } from './number-types.ts';
import { configReference, entityReference, revisionReference, typedRelation } from './reference-types.ts';
import { formattedText, plainText, textWithSummary } from './text-types.ts';

/** How the items of every field type are read, checked and kept. */
export const fieldTypes: Readonly<Record<FieldTypeName, FieldType>> = {
  string: plainText,
  string_long: plainText,
  text: formattedText,
  text_long: formattedText,
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
  created: moment,
  changed: moment,
  timestamp: moment,
  language,
  uuid,
  uri,
  path,
  email,
  textfield_attr: attribute.textfieldAttr,
  textarea_attr: attribute.textareaAttr,
  related_item: attribute.relatedItem,
  part_detail: attribute.partDetail,
  hierarchical_geographic: attribute.hierarchicalGeographic,
  config_reference: configReference,
  entity_reference_revisions: revisionReference,
};
