import type { FieldTypes } from '../field-types/field-type.ts';
import type { ContentModel } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';

/** What every page says of where it is. */
export interface Site {
  readonly siteName: string;
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string;
}

/** What a page of content is made from, besides the content. */
export interface PageSource extends Site {
  /** Whom it is shown to. */
  readonly actor: Actor;
  readonly model: ContentModel;
  readonly fieldTypes: FieldTypes;
}
