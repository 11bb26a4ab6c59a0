"""A payroll: entities in groups, a second key for each by a copy in the same partition, all or nothing."""

from azure.core import MatchConditions
from azure.data.tables import EdmType, EntityProperty, TableClient, TableTransactionError, UpdateMode

employees = TableClient.from_connection_string("UseDevelopmentStorage=true", "Employees")

DEPARTMENTS = ["Sales", "Marketing"]

with employees:
    employees.create_table()
    written = 0
    for department in DEPARTMENTS:
        operations = []
        for number in range(120):
            employee = {
                "EmployeeId": f"{number:06}",
                "Email": f"e{number:06}@contoso.com",
                "Name": f"Name {number % 7}",
                "Salary": EntityProperty(50_000 + number, EdmType.INT64),
            }
            # The same entity under both of its keys.
            for key in (f"empid_{employee['EmployeeId']}", f"email_{employee['Email']}"):
                operations.append(("create", {"PartitionKey": department, "RowKey": key, **employee}))
        for first in range(0, len(operations), 100):
            results = employees.submit_transaction(operations[first : first + 100])
            assert all(result["etag"] for result in results), "all of it, or nothing"
            written += len(results)
    print("written", written)

    # By the second key.
    by_email = employees.get_entity("Sales", "email_e000042@contoso.com")
    salary = by_email["Salary"].value
    print("by email", by_email["EmployeeId"], by_email["Name"], salary, by_email["Salary"].edm_type == EdmType.INT64)

    # A raise, in both copies, if nobody has been faster.
    by_id = employees.get_entity("Sales", "empid_000042")
    raised = {"PartitionKey": "Sales", "Salary": EntityProperty(salary + 1_000, "Edm.Int64")}
    condition = {"etag": by_id.metadata["etag"], "match_condition": MatchConditions.IfNotModified}
    raises = [
        ("update", {**raised, "RowKey": by_id["RowKey"]}, {"mode": UpdateMode.MERGE, **condition}),
        ("update", {**raised, "RowKey": by_email["RowKey"]}, {"mode": "merge"}),
    ]
    print("raised", len(employees.submit_transaction(raises)))
    # The same again: the version is an old one, and the other copy stays as it is.
    try:
        employees.submit_transaction(raises)
    except TableTransactionError as error:
        print("again", error.status_code, error.index)
    print("salary", employees.get_entity("Sales", by_email["RowKey"])["Salary"].value)

    # One that is there among many that are new: none of them is made.
    hires = [{"PartitionKey": "Marketing", "RowKey": f"empid_{n}"} for n in ("900001", "900002", "000001", "900003")]
    try:
        employees.submit_transaction(("create", hire) for hire in hires)
    except TableTransactionError as error:
        print("hire", error.status_code, error.index)

    # All of one partition, by the prefix of the first key.
    names: dict[str, int] = {}
    for employee in employees.query_entities(
        "PartitionKey eq @department and RowKey ge 'empid_' and RowKey lt 'empid`'",
        parameters={"department": "Marketing"},
        select=["Name"],
    ):
        names[employee["Name"]] = names.get(employee["Name"], 0) + 1
    print("names", dict(sorted(names.items())))

    # Those who leave: both copies at once.
    results = employees.submit_transaction(
        [
            ("delete", {"PartitionKey": "Sales", "RowKey": "empid_000042"}),
            ("delete", by_email),
            ("upsert", {"PartitionKey": "Sales", "RowKey": "left", "Count": 1}, {"mode": "replace"}),
        ]
    )
    print("left", [sorted(result) for result in results])

    # Groups have one partition.
    try:
        employees.submit_transaction([("upsert", {"PartitionKey": name, "RowKey": "x"}) for name in DEPARTMENTS])
    except ValueError:
        print("two partitions")
    employees.delete_table()
