import { unknownReach } from './accounts/users/change-user.ts';
import { unknownBusinesses } from './catalog/businesses/business-store.ts';
import { businessDeleted } from './catalog/businesses/change-business.ts';
import { labelDeleted } from './catalog/labels/label-routes.ts';
import { pendingSuggestions } from './listings/suggestions/suggestion-store.ts';
import { refuseToDeleteWithLocations, removeLabelFromLocations } from './locations/catalog-deletions.ts';
import { suggestionsOfLocations } from './locations/describe-locations.ts';
import { unknownLocations } from './locations/location-store.ts';
import { refuseToDeleteLabelOfPosts } from './publishing/social-posts/social-post-store.ts';

/** Connects the hooks of lower modules with the modules above them. Every composition imports this file. */
unknownReach.connect(unknownBusinesses, unknownLocations);
businessDeleted.connect(refuseToDeleteWithLocations);
labelDeleted.connect(refuseToDeleteLabelOfPosts, removeLabelFromLocations);
suggestionsOfLocations.connect(pendingSuggestions);
