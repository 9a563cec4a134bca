import Type from 'typebox';
import { defineEventType } from './define-event-type.ts';
import { comment, listingReference } from './field-shapes.ts';

export const listingLinkChange = defineEventType({
  type: 'LISTING_LINK_CHANGE',
  summary:
    'A listing now points to a different page of its directory, chosen by a person or found as a better match, or its page is gone. The first page of a listing is no change.',
  fields: {
    ...listingReference,
    comment,
    fromListingUrl: Type.String({ description: 'Page it pointed to; empty when it pointed to none.' }),
    fromListingId: Type.String({ description: "That page's id at the directory; empty when there was none." }),
    toListingUrl: Type.String({ description: 'Page it points to now; empty when the link was removed.' }),
    toListingId: Type.String({ description: "That page's id at the directory; empty when there is none." }),
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
