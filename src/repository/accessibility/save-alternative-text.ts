import { parseItems } from '../../field-types/parse-items.ts';
import type { MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { type Content, open } from '../content/content.ts';
import type { Services } from '../content/services.ts';
import { changeContent } from '../content/write/save-content.ts';

interface SaveTextOptions {
  /** Reads the media, or throws if it does not exist. */
  readonly read: () => Promise<Content>;
  /** Throws if the actor may not change it. */
  readonly check: (media: Content) => void;
  readonly text: string;
}

/** Changes the alternative text of the picture of a media, as a PATCH does, with a log message. */
export async function saveAlternativeText(
  services: Services,
  actor: Actor,
  { read, check, text }: SaveTextOptions,
): Promise<void> {
  const valuesFor = (content: Content) => {
    const { sourceField } = content.bundle as MediaType;
    const [first, ...others] = open(content).values[sourceField.name] ?? [];
    if (first === undefined) return new Map();
    const items = parseItems([{ ...first, alt: text }, ...others], sourceField, services.fields.types);
    return new Map([
      [sourceField.name, items],
      [content.kind.names.revisionLog, [{ value: 'Added the alternative text' }]],
    ]);
  };
  await changeContent(services, actor, valuesFor, { read, check });
}
