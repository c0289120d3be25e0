import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** The proxies whose `X-Forwarded-…` headers are trusted. */
export interface TrustedProxies {
  isTrusted(address: string | undefined): boolean;
}

/** Parses a list of addresses and CIDR ranges, IPv4 or IPv6. Throws RangeError for an invalid entry. */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  const ranges = entries.map(parseRange);
  return {
    isTrusted(text) {
      if (text === undefined || ranges.length === 0) return false;
      const address = parseAddress(text);
      return address !== undefined && ranges.some((range) => includes(range, address));
    },
  };
}

/**
 * Returns the normalized form of an address: IPv4-mapped IPv6 as IPv4, IPv6 shortened, without zone. Undefined for other
 * text, such as `unknown` or `_hidden` (RFC 7239, 6).
 */
export function usualAddress(text: string): string | undefined {
  return parseAddress(text)?.toString();
}

/** Maximum number of proxies in a chain. */
const MAX_HOPS = 32;

interface ClientPath {
  /** The nearest address that is not a trusted proxy. Undefined if the peer has none, as on a Unix socket. */
  address: string | undefined;
  /** The number of trusted proxies behind the peer, if the peer is one. */
  proxiesBehindPeer: number;
}

/**
 * Returns the client of a request and the number of trusted proxies. `X-Forwarded-For` is read from the right, as each
 * proxy appends its peer: addresses left of the first untrusted one may be forged.
 */
export function clientPath(headers: Headers, peer: string | undefined, proxies: TrustedProxies): ClientPath {
  let address = peer === undefined ? undefined : (usualAddress(peer) ?? peer);
  if (!proxies.isTrusted(address)) return { address, proxiesBehindPeer: 0 };
  let rest = headers.get('x-forwarded-for') ?? '';
  let proxiesBehindPeer = 0;
  for (let hop = 0; hop < MAX_HOPS && rest !== ''; hop += 1) {
    const comma = rest.lastIndexOf(',');
    const next = usualAddress(withoutPort(rest.slice(comma + 1).trim()));
    if (next === undefined) break;
    address = next;
    if (!proxies.isTrusted(next)) break;
    proxiesBehindPeer += 1;
    rest = comma < 0 ? '' : rest.slice(0, comma);
  }
  return { address, proxiesBehindPeer };
}

/** Returns the address of the client, for limits and the log. */
export function clientAddress(headers: Headers, peer: string | undefined, proxies: TrustedProxies): string | undefined {
  return clientPath(headers, peer, proxies).address;
}

/** Returns the names of the networks that contain an address. */
export type NetworksOf = (address: string | undefined) => readonly string[];

/** Parses named lists of addresses and ranges. Throws RangeError for an invalid entry. */
export function parseNetworks(networks: ReadonlyMap<string, readonly string[]>): NetworksOf {
  const parsed = Array.from(networks, ([name, entries]) => ({ name, ...parseTrustedProxies(entries) }));
  return (address) => parsed.filter(({ isTrusted }) => isTrusted(address)).map(({ name }) => name);
}

/** The bits of an address that one client has in common with its neighbours, and cannot change at will. */
const NETWORK_BITS = { ipv4: 24, ipv6: 48 } as const;

/**
 * Returns the network of a client address, for limits that one client must not exceed with many addresses: `192.0.2.0/24`,
 * `2001:db8::/48`. Returns any other text, and an empty one for no address.
 */
export function networkOf(text: string | undefined): string {
  const address = text === undefined ? undefined : parseAddress(text);
  if (address === undefined) return text ?? '';
  const bits = NETWORK_BITS[address.kind()];
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
}

/** The ranges of addresses that are no client of the web: those of this machine, of a proxy, or of the own network. */
const OWN_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal', 'unspecified']);

/**
 * Returns true if an address may stand for many clients: that of a proxy which is not configured, or none at all. A limit of
 * its network would be one of the whole site.
 */
export function isShared(text: string | undefined): boolean {
  const address = text === undefined ? undefined : parseAddress(text);
  return address === undefined || OWN_RANGES.has(address.range());
}

function parseAddress(text: string): Address | undefined {
  // Longer than an IPv4-mapped IPv6 address with a zone.
  if (text.length > 100) return undefined;
  const [plain = ''] = text.split('%', 1);
  if (ipaddr.IPv4.isValidFourPartDecimal(plain)) return ipaddr.IPv4.parse(plain);
  return ipaddr.IPv6.isValid(plain) ? ipaddr.process(plain) : undefined;
}

/** Removes the port, which some proxies add: `192.0.2.1:8080`, `[2001:db8::1]:8080`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  return bracketed?.[1] ?? text.replace(/^([\d.]+):\d{1,5}$/, '$1');
}

/** Parses an address or a range. The library's own parser accepts `10.0.0/8` and `0x0a.1`. */
function parseRange(entry: string): Range {
  const [, text = entry, prefix] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const address = parseAddress(text);
  const bits = address?.kind() === 'ipv4' ? 32 : 128;
  if (address && Number(prefix ?? bits) <= bits) return [address, Number(prefix ?? bits)];
  throw new RangeError(`must be an address or a range such as 10.0.0.0/8 or fd00::/8, found "${entry}"`);
}

function includes(range: Range, address: Address): boolean {
  return address.kind() === range[0].kind() && address.match(range);
}
