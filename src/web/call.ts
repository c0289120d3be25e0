import { csrfToken, isSameToken } from '../auth/session-token.ts';
import { malformed, ServiceError } from '../base/errors.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { readBodyText } from '../http/read-body.ts';
import { clientAddress, networkOf } from '../http/trusted-proxies.ts';
import type { Expense } from '../http/work-budget.ts';
import type { AuthenticationType } from '../model/rest.ts';
import type { Access, ContentType } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import type { BegunRead, ContentInContext, SurroundingsScope } from '../repository/content/read/read-content.ts';
import type { ApiServices } from './api-services.ts';
import type { PendingForm } from './form-names.ts';
import type { Format } from './formats.ts';
import { unauthenticated } from './identify.ts';
import type { Identity } from './known-callers.ts';
import { pageUser } from './page-user.ts';
import type { PageSource, Site } from './site.ts';

export interface CallFacts {
  readonly request: Request;
  readonly params: Params;
  /** The ids in the path, by parameter. Undefined for text that is no id. */
  readonly ids: Readonly<Record<string, number | undefined>>;
  /** The path of the route, with its parameters as `:name`. */
  readonly route: string;
  /** The name of the route in 404 messages (`Rules`). */
  readonly identity: Identity;
  /** True for a request without any credentials. */
  readonly isAnonymous: boolean;
  readonly baseUrl: string;
  /** The address of the peer, for limits. */
  readonly peer: string | undefined;
  readonly format: Format;
  /** True if the `Accept` header selected the format. */
  readonly isNegotiated: boolean;
  /** The authentication types that the route accepts. Undefined for any. */
  readonly authentication: readonly AuthenticationType[] | undefined;
  /** True if a caller with a session cookie must send a CSRF token. */
  readonly needsCsrfToken: boolean;
  /** The read of the content in the path, if it began while the caller was identified. */
  readonly begun: BegunRead | undefined;
}

/** The parameters of a path, as the client sent them. */
export type Params = Readonly<Record<string, string>>;

/** The header with the sentences about the result of a write. */
const NOTICE_HEADER = 'X-Repo-Notice';

/** A request that passed the checks of its route, with the further checks that its handler makes. */
export class Call {
  readonly api: ApiServices;
  readonly request: Request;
  readonly params: Params;
  readonly identity: Identity;
  readonly isAnonymous: boolean;
  readonly baseUrl: string;
  readonly peer: string | undefined;
  readonly route: string;
  readonly format: Format;
  readonly isNegotiated: boolean;
  /** The content that the access check of a write read. */
  content: Content | undefined;
  /** The form that a refused request sent, which is offered again. */
  typed: PendingForm | undefined;
  /** The challenge that a refused request is offered, as JSON. */
  challenge: string | undefined;
  /** The expense of the work that the call waits for (`spend`). */
  expense: Expense | undefined;
  /** Sentences for the caller about the result of a write. */
  readonly notices: string[] = [];
  readonly #facts: CallFacts;

  constructor(api: ApiServices, facts: CallFacts) {
    this.api = api;
    this.request = facts.request;
    this.params = facts.params;
    this.identity = facts.identity;
    this.isAnonymous = facts.isAnonymous;
    this.baseUrl = facts.baseUrl;
    this.peer = facts.peer;
    this.route = facts.route;
    this.format = facts.format;
    this.isNegotiated = facts.isNegotiated;
    this.#facts = facts;
  }

  /** The client, for work that ends when it leaves, and of which no network may have more than its part. */
  get client(): { readonly signal: AbortSignal; readonly network: string; readonly spent: (ms: number) => void } {
    const { request, peer, api } = this;
    const network = networkOf(clientAddress(request.headers, peer, api.proxies));
    return { signal: request.signal, network, spent: (milliseconds) => this.expense?.add(milliseconds) };
  }

  /** Returns the same read by another caller. */
  as(identity: Identity): Call {
    const isAnonymous = identity.authentication === undefined;
    return new Call(this.api, { ...this.#facts, identity, isAnonymous, begun: undefined });
  }

  /** Adds a sentence about the result of a write. */
  readonly note = (notice: string): void => {
    this.notices.push(notice);
  };

  /** The header with the sentences about the result of a write; empty without any. */
  get noticeHeaders(): { [NOTICE_HEADER]?: string } {
    return this.notices.length === 0 ? {} : { [NOTICE_HEADER]: this.notices.join(' ') };
  }

  get actor(): Actor {
    return this.identity.actor;
  }

  /** The site of the pages for this caller. */
  get site(): Site {
    const { siteName, theme } = this.api;
    return { siteName, theme, baseUrl: this.baseUrl, user: pageUser(this.api, this.actor) };
  }

  /** The sources of the pages of content for this caller. */
  get pageSource(): PageSource {
    const { model, fields } = this.api.services;
    return { ...this.site, actor: this.actor, model, fieldTypes: fields.types };
  }

  /**
   * Checks access, then the CSRF token, then the authentication type (spec: rest-behaviour, 1.1 steps 6 and 7). Throws
   * 401 if access is denied to a caller without credentials, and 403 otherwise.
   */
  allow(access: Access): void {
    this.require(access);
    this.#checkCsrfToken();
    this.#checkAuthenticationType();
  }

  /** Checks access only. For a second check, when the entity may have changed or has become known. */
  require(access: Access): void {
    if (!access.isAllowed) throw this.refusal(access.reason);
  }

  /** The token of the forms of pages for this caller: of the session, or of the account while its credentials stay the same. */
  get formToken(): string {
    const { sessionId, actor, credentialsChanged } = this.identity;
    return csrfToken(sessionId ?? `user ${actor.id} ${credentialsChanged}`, this.api.secret);
  }

  refusal(reason: string): ServiceError {
    if (this.identity.authentication !== undefined) return new ServiceError('forbidden', reason);
    return unauthenticated(this.api, 'No authentication credentials provided.');
  }

  /** Returns the body as a JSON object. To be called after `allow`: bodies of unauthorized callers are not read. */
  async json(maxBytes = this.api.maxJsonBytes): Promise<JsonObject> {
    return parseJsonObject(await readBodyText(this.request, maxBytes));
  }

  /** Returns an id in the path. Throws 404 if the text is no id. */
  id(parameter: string): number {
    const id = this.#facts.ids[parameter];
    if (id === undefined) throw this.notFound(parameter);
    return id;
  }

  /** Returns the content that the path names, without its surroundings. Undefined if it does not exist. */
  async findContent(type: ContentType): Promise<Content | undefined> {
    return this.api.content.find(type, this.id(type), this.#facts.begun);
  }

  /** Returns the content that the path names, with its surroundings. Undefined if it does not exist. */
  async readContent(type: ContentType, surroundings: SurroundingsScope): Promise<ContentInContext | undefined> {
    return this.api.content.read({
      type,
      id: this.id(type),
      surroundings,
      actor: this.actor,
      begun: this.#facts.begun,
    });
  }

  /** Returns the error for an entity that a path names and that does not exist. */
  notFound(parameter: string): ServiceError {
    return doesNotExist(parameter, this.#facts.params[parameter] ?? '');
  }

  #checkCsrfToken(): void {
    const { identity, needsCsrfToken, request } = this.#facts;
    if (!needsCsrfToken || identity.sessionId === undefined) return;
    const token = request.headers.get('x-csrf-token');
    if (token === null) throw new ServiceError('forbidden', 'The header X-CSRF-Token is missing.');
    if (!isSameToken(token, csrfToken(identity.sessionId, this.api.secret)))
      throw new ServiceError('forbidden', 'The header X-CSRF-Token is invalid.');
  }

  #checkAuthenticationType(): void {
    const used = this.identity.authentication;
    const accepted = this.#facts.authentication;
    if (used === undefined || accepted === undefined || accepted.includes(used)) return;
    throw new ServiceError('forbidden', 'This address does not accept this authentication method.');
  }
}

/** Parses a body as a JSON object. Throws `malformed` for other text (spec: rest-behaviour, 1.3). */
export function parseJsonObject(text: string): JsonObject {
  if (text.trim() === '') throw malformed('The body is empty. It must be a JSON object.');
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw malformed('The body is not valid JSON.', error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('The body must be a JSON object with the fields of the entity.');
  return value;
}

const CALL = Symbol('call');
type RequestWithCall = Request & { [CALL]?: Call };

/** Stores a call in its request, for the hooks and the handler of its route. */
export function rememberCall(call: Call): void {
  const request: RequestWithCall = call.request;
  request[CALL] = call;
}

/** Returns the call of a request. Undefined if its first checks have failed. */
export function knownCallOf(request: RequestWithCall): Call | undefined {
  return request[CALL];
}

/** Returns the call of a request whose checks have passed. */
export function callOf(request: Request): Call {
  const call = knownCallOf(request);
  if (call === undefined) throw new Error(`the route of ${request.url} declares no rules`);
  return call;
}

const MAX_SHOWN_CHARS = 100;

/** Returns the error for an unknown name or id: `Node 17 does not exist.` */
export function doesNotExist(type: string, id: string): ServiceError {
  const noun = type.charAt(0).toUpperCase() + type.slice(1).replaceAll('_', ' ');
  const shown = /^\d{1,15}$/.test(id) ? id : JSON.stringify(id.slice(0, MAX_SHOWN_CHARS));
  return new ServiceError('not-found', `${noun} ${shown} does not exist.`);
}

/** Parses a positive integer in an address. Returns undefined for other text. */
export function parseId(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined;
  return Number(text) || undefined;
}
