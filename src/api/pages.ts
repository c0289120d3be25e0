import type { FieldTypes } from '../field-types/field-type.ts';
import type { Link } from '../http/link-header.ts';
import type { ContentModel } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import type { ParsedContent } from '../repository/content/content.ts';
import type { Surroundings } from '../repository/content/surroundings.ts';
import type { Action } from '../representation/action.ts';

/** A page as an answer. */
export interface Page {
  readonly body: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Site {
  readonly siteName: string;
  readonly baseUrl: string;
}

/** What people's browsers are answered; made elsewhere, for the API knows nothing of HTML. */
export interface Pages {
  content(
    content: ParsedContent,
    around: Surroundings,
    links: readonly Link[],
    from: Site & { readonly actor: Actor; readonly model: ContentModel; readonly fieldTypes: FieldTypes },
  ): Page;
  error(status: number, message: string, from: Site): Page;
  action(action: Action, from: Site, userName: string | undefined): Page;
}
