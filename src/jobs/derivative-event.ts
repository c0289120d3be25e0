/** The request to a processor and its destination (spec: rest-behaviour, 9.1 "attachment"). Addresses are root-relative. */
export interface DerivativeContent {
  readonly source_uri: string;
  readonly destination_uri: string;
  readonly file_upload_uri: string;
  readonly args?: string;
  readonly mimetype: string;
  /** The field that holds the source file; missing if there are several files. */
  readonly source_field?: string;
}

interface EventLink {
  readonly name: string;
  readonly type: 'Link';
  readonly href: string;
  readonly mediaType: string;
  readonly rel: string;
}

/** An ActivityStreams message about a node. */
export interface DerivativeEvent {
  readonly '@context': string;
  readonly actor: { readonly type: 'Person'; readonly id: string; readonly url: readonly EventLink[] };
  readonly object: { readonly id: string; readonly url: readonly EventLink[] };
  readonly type: 'Activity';
  readonly summary: string;
  readonly attachment: {
    readonly type: 'Object';
    readonly content: DerivativeContent;
    readonly mediaType: 'application/json';
  };
  /** Identifies the event in the logs of the repository and of the processor. */
  readonly id: string;
}

interface EventFacts {
  readonly eventId: string;
  readonly actor: { readonly uuid: string; readonly path: string };
  readonly node: { readonly uuid: string; readonly path: string };
  readonly content: DerivativeContent;
}

/** Returns the event that requests a derivative (spec: rest-behaviour, 9.1), with root-relative addresses. */
export function derivativeEvent({ eventId, actor, node, content }: EventFacts): DerivativeEvent {
  return {
    '@context': 'https://www.w3.org/ns/activitystreams',
    actor: { type: 'Person', id: `urn:uuid:${actor.uuid}`, url: [link('Canonical', actor.path, 'text/html')] },
    object: {
      id: `urn:uuid:${node.uuid}`,
      url: [
        link('Canonical', node.path, 'text/html'),
        link('JSON', `${node.path}?_format=json`, 'application/json', 'alternate'),
        link('JSONLD', `${node.path}?_format=jsonld`, 'application/ld+json', 'alternate'),
      ],
    },
    type: 'Activity',
    summary: 'Generate Derivative',
    attachment: { type: 'Object', content, mediaType: 'application/json' },
    id: `urn:uuid:${eventId}`,
  };
}

function link(name: string, href: string, mediaType: string, rel = 'canonical'): EventLink {
  return { name, type: 'Link', href, mediaType, rel };
}

/** Returns a stored event with absolute addresses, as clients need them. `baseUrl` has no slash at its end. */
export function absoluteEvent(stored: string, baseUrl: string): DerivativeEvent {
  const event = JSON.parse(stored) as DerivativeEvent;
  const { actor, object, attachment } = event;
  const { content } = attachment;
  const absolute = (links: readonly EventLink[]) => links.map((each) => ({ ...each, href: baseUrl + each.href }));
  return {
    ...event,
    actor: { ...actor, url: absolute(actor.url) },
    object: { ...object, url: absolute(object.url) },
    attachment: {
      ...attachment,
      content: {
        ...content,
        source_uri: baseUrl + content.source_uri,
        destination_uri: baseUrl + content.destination_uri,
      },
    },
  };
}
