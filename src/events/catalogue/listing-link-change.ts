import Type from 'typebox';
import { defineEventType } from './define-event-type.ts';
import { comment, listingReference } from './field-shapes.ts';

export const listingLinkChange = defineEventType({
  type: 'LISTING_LINK_CHANGE',
  summary:
    'The URL of a listing on its directory changed or was removed, by a user or because a better match was found. The first URL of a listing is not a change.',
  fields: {
    ...listingReference,
    comment,
    fromListingUrl: Type.String({ description: 'Previous URL of the listing; empty if there was none.' }),
    fromListingId: Type.String({
      description: 'Previous id of the listing on the directory; empty if there was none.',
    }),
    toListingUrl: Type.String({ description: 'New URL of the listing; empty if it was removed.' }),
    toListingId: Type.String({ description: 'New id of the listing on the directory; empty if there is none.' }),
  },
  example: {
    business: 2204,
    listing: 918280,
    location: 51877,
    comment: 'A page with the same phone number and address was found',
    fromListingUrl: 'https://yelp.example/biz/baeckerei-lindner-koeln-2',
    fromListingId: 'baeckerei-lindner-koeln-2',
    toListingUrl: 'https://yelp.example/biz/baeckerei-lindner-koeln-ehrenfeld',
    toListingId: 'baeckerei-lindner-koeln-ehrenfeld',
  },
});
