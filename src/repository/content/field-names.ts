/** Under which name a base field stands that every kind of content has. */
export interface FieldNames {
  readonly id: string;
  readonly revisionId: string;
  readonly revisionCreated: string;
  readonly revisionUser: string;
  readonly revisionLog: string;
  readonly owner: string;
  readonly created: string;
}

export const NODE_NAMES: FieldNames = {
  id: 'nid',
  revisionId: 'vid',
  revisionCreated: 'revision_timestamp',
  revisionUser: 'revision_uid',
  revisionLog: 'revision_log',
  owner: 'uid',
  created: 'created',
};

export const MEDIA_NAMES: FieldNames = {
  ...NODE_NAMES,
  id: 'mid',
  revisionCreated: 'revision_created',
  revisionUser: 'revision_user',
  revisionLog: 'revision_log_message',
};

export const TERM_NAMES: FieldNames = {
  ...MEDIA_NAMES,
  id: 'tid',
  revisionId: 'revision_id',
  owner: 'content_translation_uid',
  created: 'content_translation_created',
};

/** Paragraphs have no more than these: what is not among their base fields stands nowhere. */
export const PARAGRAPH_NAMES: FieldNames = {
  ...TERM_NAMES,
  id: 'id',
  revisionCreated: 'created',
  owner: 'uid',
  created: 'created',
};
