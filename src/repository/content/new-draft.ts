import type { Bundle, NodeType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../services.ts';
import type { BaseValues, Draft } from './base-field.ts';
import type { ContentKind } from './kinds.ts';

/** An entity before anything was said about it (spec: rest-behaviour, 4 "POST defaults"). */
export function newDraft({ model, now }: Services, actor: Actor, kind: ContentKind, bundle: Bundle): Draft {
  const time = now();
  const base: BaseValues = { ownerUuid: actor.uuid, revisionUserUuid: actor.uuid };
  if (kind.type === 'node') Object.assign(base, { promote: (bundle as NodeType).promote, sticky: false });
  return {
    id: 0,
    uuid: Bun.randomUUIDv7(),
    revisionId: 0,
    bundle: bundle.name,
    langcode: model.defaultLanguage,
    label: '',
    ownerId: actor.id,
    status: true,
    created: time,
    changed: time,
    revisionCreated: time,
    revisionUserId: actor.id,
    revisionLog: null,
    version: 1,
    layout: bundle.layout,
    isDangling: false,
    aliasId: null,
    alias: null,
    base,
  };
}
