//! Relations between tables: declared once, and held in every write's own transaction.
//!
//! A relation says which properties of a row, the child, are the keys of a row of another table, its parent. From its
//! declaration on, a link to a row that is not there is refused, and a parent's delete is refused or deletes its children,
//! as declared. A row without one of the properties has no parent.
//!
//! | published pattern | here |
//! |---|---|
//! | one to many, S9.21 | [`Relation`]: orders in the partition named by their customer, or with his keys in properties |
//! | many to many, S9.22 | [`Join`](crate::Join): a table of pairs, each once, read from both sides |
//!
//! # Example
//! ```
//! use entable::{ErrorCode, OnDelete, Relation, Store, entity};
//! let store = Store::in_memory()?;
//! let (customers, orders) = (store.create_table("Customers")?, store.create_table("Orders")?);
//! // A customer is `<company> | <id>`, and an order `<customer's id> | <number>`.
//! let of_customer = Relation::new("Customer", "Orders", "Customers").keys("Company", "PartitionKey");
//! store.create_relation(&of_customer.on_delete(OnDelete::Cascade))?;
//!
//! let error = orders.create_entity(entity! { "17", "0001", "Company" => "Contoso" }).unwrap_err();
//! assert_eq!(error.code(), ErrorCode::LinkTargetNotFound);
//! customers.create_entity(entity! { "Contoso", "17", "Name" => "Ann" })?;
//! orders.create_entity(entity! { "17", "0001", "Company" => "Contoso" })?;
//! assert_eq!(orders.linked("Customer", "Contoso", "17")?.count(), 1);
//! customers.delete_entity("Contoso", "17")?; // and its orders
//! assert_eq!(orders.list_entities()?.count(), 0);
//! # Ok::<(), entable::Error>(())
//! ```

mod definition;
mod link;

pub use crate::codec::record::OnDelete;
pub use definition::Relation;
pub(crate) use link::{Target, children, known_link_of, link_of};
