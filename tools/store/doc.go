// Package store keeps the records of the user's state files: memories, plans, tasks.
//
// Its room: a Store is one JSON file, read and changed as a typed document (Item, List), and the ranking of
// records by words. The files are shared with other servers of the same family, which know other fields and take
// no lock. So every member that a document does not declare is written back as it was found, a file is read again
// whenever it is not the one that was last seen, and ids never change.
//
// It must never replace what it could not read: bytes that do not parse are kept in a copy beside the file first.
// A change is whole or not there at all (new file, sync, rename), under a lock that excludes the user's other
// servers. The paths are the user's own configuration; no path that a model gave may come here. It opens regular
// files only, and follows no link that another user made.
//
// Governing text: HIP-0300 §2 (the optional local tools).
package store
