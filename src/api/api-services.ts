import type { Registry } from 'prom-client';
import type { AccountPace } from '../auth/account-pace.ts';
import type { CredentialCache } from '../auth/credential-cache.ts';
import type { FloodStore } from '../auth/flood.ts';
import type { SigningKey } from '../auth/signing-key.ts';
import type { OwnTokenVerifier } from '../auth/verify-own-token.ts';
import type { UploadRate } from '../base/upload-rate.ts';
import type { FindBaseUrl } from '../http/base-url.ts';
import type { Cors } from '../http/cors.ts';
import type { TrustedProxies } from '../http/trusted-proxies.ts';
import type { JobServices } from '../jobs/job-planner.ts';
import type { RestMethod } from '../model/rest.ts';
import type { Actor, ActorFacts } from '../repository/actor.ts';
import type { FindContent } from '../repository/content/find-content.ts';
import type { ContentKinds } from '../repository/content/kinds.ts';
import type { ReadContent } from '../repository/content/read-content.ts';
import type { FindReadableFile } from '../repository/content/readable-files.ts';
import type { FindFile } from '../repository/files/find-file.ts';
import type { FindSettings } from '../repository/settings/find-settings.ts';
import type { FindAccount } from '../repository/users/find-account.ts';
import type { FindUser } from '../repository/users/find-user.ts';
import type { Sessions } from '../repository/users/sessions.ts';
import type { ContentAnswers } from './content-answer.ts';
import type { Identity } from './identify.ts';
import type { KnownCallers } from './known-callers.ts';
import type { Pages } from './pages.ts';

/** Everything that a route may need; put together once, in `modes`. */
export interface ApiServices {
  readonly services: JobServices;
  readonly kinds: ContentKinds;
  readonly findContent: FindContent;
  readonly content: ReadContent;
  readonly answers: ContentAnswers;
  readonly findFile: FindFile;
  readonly findReadableFile: FindReadableFile;
  readonly findUser: FindUser;
  readonly findAccount: FindAccount;
  readonly findSettings: FindSettings;
  readonly makeActor: (facts: ActorFacts) => Actor;
  readonly anonymous: Actor;
  /** The identity of everyone who says nothing of theirs. */
  readonly nobody: Identity;
  readonly sessions: Sessions;
  readonly flood: FloodStore;
  readonly accountPace: AccountPace;
  readonly credentials: CredentialCache;
  readonly knownCallers: KnownCallers;
  readonly verifyToken: OwnTokenVerifier;
  readonly signingKey: SigningKey;
  /** Of this installation: what CSRF tokens are made with. */
  readonly secret: Buffer;
  readonly findBaseUrl: FindBaseUrl;
  readonly proxies: TrustedProxies;
  /** Returns true if a route answers this method of a path of `paths`. Valid once the routes have been created. */
  readonly offers: (method: string, path: string) => boolean;
  /** The methods that `offers` looks up, by path, in the order of the routes. */
  readonly offered: Map<string, RestMethod[]>;
  readonly cors: Cors;
  readonly siteName: string;
  readonly pages: Pages;
  /** The figures behind `/metrics`: whoever has some adds them. */
  readonly metrics: Registry;
  /** What the program says of itself. */
  readonly program: Readonly<Record<'name' | 'version' | 'license' | 'description', string>>;
  /** Changes with the program and its content model: a new edition may show the same version otherwise. */
  readonly edition: string;
  readonly tokenExpirySeconds: number;
  /** The most that a body of JSON may hold. */
  readonly maxJsonBytes: number;
  /** The most that a file may hold; undefined for any size. */
  readonly maxUploadBytes: number | undefined;
  /** Minimum rate of a file upload. */
  readonly minUploadRate: UploadRate;
}
