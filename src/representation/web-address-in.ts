import { isLinkAddress } from '../field-types/link-address.ts';

/** The web address that a text is, if it is one and nothing else. */
export function webAddressIn(text: string): string | undefined {
  const address = text.trim();
  return !/\s/.test(address) && isLinkAddress(address, 'external') ? address : undefined;
}
